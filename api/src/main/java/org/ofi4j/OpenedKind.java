// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

/** The kind of an endpoint, which its information says and the caller as well. */
final class OpenedKind {
  private OpenedKind() {}

  static void check(FabricInfo info, EndpointType wanted) {
    EndpointType type = Arguments.required(info, "info").endpoint().type();
    if (type != wanted) {
      throw new FabricException(
          Errno.EINVAL,
          "the information is of endpoints of type %s, not %s: ask for that in the hints, or open"
                  .formatted(type, wanted)
              + " an endpoint of its kind");
    }
  }
}
