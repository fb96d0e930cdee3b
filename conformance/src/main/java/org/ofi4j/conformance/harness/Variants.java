// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.harness;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ArgumentsSource;
import org.ofi4j.AddressFormat;
import org.ofi4j.VectorType;

/**
 * Runs a test, whose first parameter is a {@link Variant}, with enough combinations that every
 * value of each dimension meets every value of every other one where the version has both.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
@ParameterizedTest(name = "{0}")
@ArgumentsSource(VariantSource.class)
public @interface Variants {
  InsertForm[] forms() default {InsertForm.PACKED, InsertForm.COLLECTION, InsertForm.SINGLE};

  VectorType[] types() default {VectorType.TABLE, VectorType.MAP};

  AddressFormat[] formats() default {
    AddressFormat.SOCKADDR_IN, AddressFormat.SOCKADDR_IN6, AddressFormat.SOCKADDR, AddressFormat.STR
  };

  /** Whether versions are left out that have no status for each address, which came with 1.5. */
  boolean withStatuses() default false;
}
