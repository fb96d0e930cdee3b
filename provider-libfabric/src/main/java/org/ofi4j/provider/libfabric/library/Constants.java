// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.library;

/** Numbers of the headers of libfabric that the types of the API do not have. */
public final class Constants {
  /** {@code FI_SOURCE}, of fi_getinfo: the node is the own one. */
  public static final long SOURCE = 1L << 57;

  /** {@code FI_RMA_EVENT}, a capability: counters count what peers do to memory here. */
  public static final long RMA_EVENT = 1L << 56;

  /** {@code FI_CONTEXT}, a mode: operations bring a {@code struct fi_context}. */
  public static final long CONTEXT = 1L << 59;

  /** {@code FI_CONTEXT2}: they bring a longer one. */
  public static final long CONTEXT2 = 1L << 52;

  /** {@code FI_ORDER_SAS}: messages arrive in the order of sending. */
  public static final long ORDER_SAS = 1L << 8;

  /** {@code FI_THREAD_DOMAIN}: calls of one domain are made one at a time. */
  public static final int THREAD_DOMAIN = 3;

  /** {@code FI_PROGRESS_CONTROL_UNIFIED}: that holds for calls that open and close, too. */
  public static final int PROGRESS_CONTROL_UNIFIED = 3;

  /** {@code FI_AV_TABLE}. */
  public static final int AV_TABLE = 2;

  /** {@code FI_CQ_FORMAT_TAGGED}. */
  public static final int CQ_FORMAT_TAGGED = 4;

  /** {@code FI_WAIT_NONE}. */
  public static final int WAIT_NONE = 0;

  /** {@code FI_WAIT_FD}. */
  public static final int WAIT_FD = 3;

  /** {@code FI_GETWAIT}, a command of fi_control. */
  public static final int GETWAIT = 5;

  /** {@code FI_ENABLE}, a command of fi_control. */
  public static final int ENABLE = 6;

  /** {@code FI_OPT_ENDPOINT}. */
  public static final int OPT_ENDPOINT = 0;

  /** {@code FI_OPT_CM_DATA_SIZE}. */
  public static final int OPT_CM_DATA_SIZE = 1;

  /** {@code FI_CONNREQ}, an event: a peer asks for a connection. */
  public static final int CONNREQ = 1;

  /** {@code FI_CONNECTED}, an event: there is a connection. */
  public static final int CONNECTED = 2;

  /** {@code FI_SHUTDOWN}, an event: the connection has ended. */
  public static final int SHUTDOWN = 3;

  /** {@code FI_ADDR_UNSPEC}: any source; also {@code FI_ADDR_NOTAVAIL}: none. */
  public static final long ANY = -1;

  /** {@code -FI_EAGAIN}. */
  public static final int TRY_AGAIN = -11;

  /** {@code -FI_EAVAIL}: an error is to be read. */
  public static final int ERROR_AVAILABLE = -259;

  private Constants() {}
}
