// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.harness;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The rules that a test proves. They hold only if all tests that name them pass. */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface Proves {
  /** Rule ids, {@code AV-001} to {@code AV-226}. */
  String[] value() default {};

  /** Instead: ids of rules of which the test covers a part, the rest being left to other tests. */
  String[] partly() default {};
}
