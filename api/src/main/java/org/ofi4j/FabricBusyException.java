// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import java.util.List;

/**
 * {@code -FI_EBUSY} from a close: other objects still use this one. The object stays open and
 * nothing about it has changed.
 */
public final class FabricBusyException extends FabricException {
  private static final long serialVersionUID = 1L;

  /** How many objects the message names. */
  private static final int MOST_NAMED = 10;

  private final transient List<FabricObject> holders;

  /**
   * A refused close.
   *
   * @param subject what was to be closed
   * @param holders the objects that use it, at least one
   */
  public FabricBusyException(FabricObject subject, List<? extends FabricObject> holders) {
    super(
        Errno.EBUSY,
        subject
            + " is in use and stays open; close first: "
            + holders.subList(0, Math.min(holders.size(), MOST_NAMED))
            + (holders.size() > MOST_NAMED ? " and " + (holders.size() - MOST_NAMED) + " more" : "")
            + ", or call closeAll");
    this.holders = List.copyOf(holders);
  }

  /** {@return who uses the object, to be closed first} */
  public List<FabricObject> holders() {
    return holders == null ? List.of() : holders;
  }
}
