// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.transfer;

/** A frame that answers one of the peer: it overtakes what is posted. */
public abstract class Answer extends Outgoing {
  /** It has been written. */
  public abstract void written();

  /** It is not wanted any more. */
  public abstract void release();
}
