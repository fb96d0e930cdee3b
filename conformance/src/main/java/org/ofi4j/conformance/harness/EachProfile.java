// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.harness;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Runs a test, whose first parameter is a {@link Setup}, once with the setup of each profile. */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
@ParameterizedTest
@MethodSource("org.ofi4j.conformance.harness.Setup#profiles")
public @interface EachProfile {}
