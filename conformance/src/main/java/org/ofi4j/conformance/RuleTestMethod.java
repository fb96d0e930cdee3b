// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import org.ofi4j.conformance.harness.Proves;
import org.ofi4j.conformance.harness.RandomTest;
import org.ofi4j.conformance.rules.RuleTests;

/**
 * A test method and the rules that it proves.
 *
 * @param type its class
 * @param method the method
 * @param partial whether it covers only a part of them
 */
record RuleTestMethod(Class<?> type, Method method, List<String> ids, boolean partial) {
  /** All test methods of the suite. */
  static List<RuleTestMethod> all() {
    List<RuleTestMethod> all = new ArrayList<>();
    for (Class<?> type : RuleTests.classes()) {
      for (Method method : type.getDeclaredMethods()) {
        Proves proves = method.getAnnotation(Proves.class);
        if (proves != null) {
          boolean partial = proves.partly().length > 0;
          List<String> ids = List.of(partial ? proves.partly() : proves.value());
          all.add(new RuleTestMethod(type, method, ids, partial));
        }
      }
    }
    return all;
  }

  /** Whether it plays random sequences of calls. */
  boolean isRandom() {
    return type.isAnnotationPresent(RandomTest.class);
  }

  String name() {
    return type.getSimpleName() + "." + method.getName();
  }
}
