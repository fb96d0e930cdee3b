// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.harness;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Marks a class of conformance tests: each test may take a {@link ConformanceEnvironment}, and has
 * a deadline. It runs in a thread of its own, so that a provider that hangs costs one test and not
 * the whole run.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@ExtendWith(EnvironmentExtension.class)
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
public @interface ConformanceTest {}
