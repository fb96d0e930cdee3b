// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

/**
 * {@code enum fi_ep_type}: what an endpoint promises about its messages. Of the providers of ofi4j,
 * {@code udp} has {@link #DGRAM}, and {@code tcp} has {@link #RDM} and {@link #MSG}.
 */
public enum EndpointType {
  /** {@code FI_EP_UNSPEC}: not said. */
  UNSPECIFIED(0),
  /** {@code FI_EP_MSG}: reliable, connected. */
  MSG(1),
  /** {@code FI_EP_DGRAM}: unreliable, unconnected. */
  DGRAM(2),
  /** {@code FI_EP_RDM}: reliable, unconnected. */
  RDM(3);

  private final int number;

  EndpointType(int number) {
    this.number = number;
  }

  /** {@return the number in {@code rdma/fabric.h}, 0 to 3} */
  public int number() {
    return number;
  }
}
