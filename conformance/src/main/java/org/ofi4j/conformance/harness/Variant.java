// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.harness;

import java.util.List;
import org.ofi4j.AddressFormat;
import org.ofi4j.AddressVector;
import org.ofi4j.FabricAddress;
import org.ofi4j.VectorOptions;
import org.ofi4j.VectorType;

/** One combination of everything that must make no difference to a rule. */
public record Variant(Setup setup, VectorType type, InsertForm form) {
  public AddressVector open(ConformanceEnvironment environment) {
    return open(environment, VectorOptions.defaults());
  }

  /** Opens a vector of this kind with further options. */
  public AddressVector open(ConformanceEnvironment environment, VectorOptions options) {
    return environment.vector(setup, options.withType(type));
  }

  /** Opens an asynchronous vector of this kind, bound to a queue. */
  public AsyncVector openAsync(ConformanceEnvironment environment) {
    return environment.asyncVector(setup, VectorOptions.defaults().withType(type));
  }

  /** {@code ins(list, fi)}. */
  public Inserted insert(AddressVector vector, List<? extends FabricAddress> list) {
    return form.insert(vector, list);
  }

  /** {@code ins} of a few addresses. */
  public Inserted insert(AddressVector vector, FabricAddress... list) {
    return form.insert(vector, List.of(list));
  }

  /** {@code A(i)} in the format at hand. */
  public FabricAddress a(int i) {
    return Addresses.a(format(), i);
  }

  /** {@code A(from)} to {@code A(to)} in the format at hand. */
  public List<FabricAddress> list(int from, int to) {
    return Addresses.list(format(), from, to);
  }

  /** {@code BAD} in the format at hand. */
  public FabricAddress bad() {
    return Addresses.bad(format());
  }

  /** An address of another family, or text without format, as long as those of the vector are. */
  public FabricAddress foreign() {
    return Addresses.foreign(format());
  }

  public AddressFormat format() {
    return setup.format();
  }

  /** Whether handles are positions. */
  public boolean hasIndexHandles() {
    return type != VectorType.MAP || !setup.hasOpaqueMapHandles();
  }

  @Override
  public String toString() {
    return setup + " " + type + " " + form;
  }
}
