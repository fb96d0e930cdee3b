// SPDX-License-Identifier: Apache-2.0
/**
 * What a provider of fabric objects implements and registers with {@link java.util.ServiceLoader}.
 */
package org.ofi4j.spi;
