// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

/** {@code struct fi_msg} of {@code fi_sendmsg}, fi_msg(3): a message, and all about sending it. */
public final class SendRequest extends OutgoingRequest<SendRequest> {
  /** A request that says nothing yet. */
  public SendRequest() {}

  @Override
  SendRequest self() {
    return this;
  }
}
