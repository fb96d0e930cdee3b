// SPDX-License-Identifier: Apache-2.0
/**
 * libfabric as C has it: the library, its objects, the layout of its structs, and calls of its
 * functions. All that crosses into C crosses here.
 *
 * <p>Other rooms use the objects and the layouts. This room uses no other. Read {@link
 * org.ofi4j.provider.libfabric.library.Libfabric} first.
 */
package org.ofi4j.provider.libfabric.library;
