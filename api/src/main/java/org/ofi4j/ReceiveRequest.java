// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

/** {@code struct fi_msg} of {@code fi_recvmsg}, fi_msg(3): what is to be received, and how. */
public final class ReceiveRequest extends IncomingRequest<ReceiveRequest> {
  /** A request that says nothing yet: one message, from anybody. */
  public ReceiveRequest() {}

  @Override
  ReceiveRequest self() {
    return this;
  }
}
