// SPDX-License-Identifier: Apache-2.0
/**
 * The text and packed forms of addresses, the parser of peer lists, certificates in files, the
 * texts of errnos, checks of arguments, fields of immutable objects, and the comparison of offers
 * with hints: used by the public types, and not exported.
 */
package org.ofi4j.internal;
