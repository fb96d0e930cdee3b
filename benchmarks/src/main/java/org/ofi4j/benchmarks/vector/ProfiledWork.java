// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.vector;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.ofi4j.benchmarks.figure.AddressPattern;
import org.ofi4j.benchmarks.figure.Family;
import org.ofi4j.benchmarks.figure.Quantity;

/** Work that a profile can be made of: what bars on time are about. */
enum ProfiledWork {
  INSERT_WITH_HINT("insert") {
    @Override
    void on(Ofi4jSubject subject) {
      subject.insert(true);
    }
  },
  INSERT("insert") {
    @Override
    void on(Ofi4jSubject subject) {
      subject.insert(false);
    }
  },
  INSERT_CONSECUTIVE("insert") {
    @Override
    AddressPattern pattern() {
      return AddressPattern.CONSECUTIVE;
    }

    @Override
    void on(Ofi4jSubject subject) {
      subject.insert(false);
    }
  },
  LOOKUP("lookup") {
    @Override
    void on(Ofi4jSubject subject) {
      filled(subject).lookup();
    }
  },
  FIND("find") {
    @Override
    void on(Ofi4jSubject subject) {
      filled(subject).find();
    }
  },
  REMOVE_IN_ORDER("remove") {
    @Override
    void on(Ofi4jSubject subject) {
      subject.insert(true);
      subject.removeInOrder();
    }
  },
  REMOVE_RANDOMLY("remove") {
    @Override
    void on(Ofi4jSubject subject) {
      subject.insert(true);
      subject.removeRandomly();
    }
  };

  private static final Map<Quantity, ProfiledWork> MEASURED =
      Map.of(
          Quantity.insert(AddressPattern.SCATTERED, Family.IPV4, true),
          INSERT_WITH_HINT,
          Quantity.insert(AddressPattern.SCATTERED, Family.IPV4, false),
          INSERT,
          Quantity.insert(AddressPattern.CONSECUTIVE, Family.IPV4, false),
          INSERT_CONSECUTIVE,
          Quantity.LOOKUP,
          LOOKUP,
          Quantity.FIND_IN_LOOKUPS,
          FIND,
          Quantity.REMOVE_IN_ORDER,
          REMOVE_IN_ORDER,
          Quantity.REMOVE_RANDOMLY,
          REMOVE_RANDOMLY);

  private final String method;

  ProfiledWork(String method) {
    this.method = method;
  }

  /** The work that a quantity measures; null if none here does. */
  static @Nullable ProfiledWork of(Quantity quantity) {
    return MEASURED.get(quantity);
  }

  /** The method of {@link Ofi4jSubject} below which it is done: the rest only prepares. */
  String method() {
    return method;
  }

  AddressPattern pattern() {
    return AddressPattern.SCATTERED;
  }

  /** Does it once. */
  abstract void on(Ofi4jSubject subject);

  private static Ofi4jSubject filled(Ofi4jSubject subject) {
    if (!subject.isOpen()) {
      subject.insert(true);
    }
    return subject;
  }
}
