// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

/** A frame that answers one of the peer: it overtakes what is posted. */
abstract class Answer extends Outgoing {
  /** It has been written. */
  abstract void written();

  /** It is not wanted any more. */
  abstract void release();
}
