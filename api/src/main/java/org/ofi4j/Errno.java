// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import org.jspecify.annotations.Nullable;
import org.ofi4j.internal.ErrnoText;

/**
 * {@code rdma/fi_errno.h}: fabric errors (AV-209). Numbers up to 255 are those of Linux, whatever
 * system this runs on; those from 256 are libfabric's own.
 */
public enum Errno {
  /** {@code FI_SUCCESS}: no error. */
  SUCCESS(0),
  /** {@code FI_EPERM}: operation not permitted. */
  EPERM(1),
  /** {@code FI_ENOENT}: no such file or directory. */
  ENOENT(2),
  /** {@code FI_EINTR}: interrupted system call. */
  EINTR(4),
  /** {@code FI_EIO}: input/output error. */
  EIO(5),
  /** {@code FI_E2BIG}: argument list too long. */
  E2BIG(7),
  /** {@code FI_EBADF}: bad file descriptor. */
  EBADF(9),
  /** {@code FI_EAGAIN}: nothing there yet, or no room now. Also {@code FI_EWOULDBLOCK}. */
  EAGAIN(11),
  /** {@code FI_ENOMEM}: cannot allocate memory. */
  ENOMEM(12),
  /** {@code FI_EACCES}: permission denied. */
  EACCES(13),
  /** {@code FI_EFAULT}: bad address. */
  EFAULT(14),
  /** {@code FI_EBUSY}: device or resource busy. */
  EBUSY(16),
  /** {@code FI_ENODEV}: no such device. */
  ENODEV(19),
  /** {@code FI_EINVAL}: invalid argument. */
  EINVAL(22),
  /** {@code FI_EMFILE}: too many open files. */
  EMFILE(24),
  /** {@code FI_ENOSPC}: no space left on device. */
  ENOSPC(28),
  /** {@code FI_ENOSYS}: function not implemented. */
  ENOSYS(38),
  /** {@code FI_ENOMSG}: no message of desired type. */
  ENOMSG(42),
  /** {@code FI_ENODATA}: no data available. */
  ENODATA(61),
  /** {@code FI_EPROTO}: protocol error. */
  EPROTO(71),
  /** {@code FI_EOVERFLOW}: value too large for defined data type. */
  EOVERFLOW(75),
  /** {@code FI_EMSGSIZE}: message too long. */
  EMSGSIZE(90),
  /** {@code FI_ENOPROTOOPT}: protocol not available. */
  ENOPROTOOPT(92),
  /** {@code FI_EOPNOTSUPP}: operation not supported. */
  EOPNOTSUPP(95),
  /** {@code FI_EADDRINUSE}: address already in use. */
  EADDRINUSE(98),
  /** {@code FI_EADDRNOTAVAIL}: cannot assign requested address. */
  EADDRNOTAVAIL(99),
  /** {@code FI_ENETDOWN}: network is down. */
  ENETDOWN(100),
  /** {@code FI_ENETUNREACH}: network is unreachable. */
  ENETUNREACH(101),
  /** {@code FI_ECONNABORTED}: software caused connection abort. */
  ECONNABORTED(103),
  /** {@code FI_ECONNRESET}: connection reset by peer. */
  ECONNRESET(104),
  /** {@code FI_ENOBUFS}: no buffer space available. */
  ENOBUFS(105),
  /** {@code FI_EISCONN}: transport endpoint is already connected. */
  EISCONN(106),
  /** {@code FI_ENOTCONN}: transport endpoint is not connected. */
  ENOTCONN(107),
  /** {@code FI_ESHUTDOWN}: cannot send after transport endpoint shutdown. */
  ESHUTDOWN(108),
  /** {@code FI_ETIMEDOUT}: connection timed out. */
  ETIMEDOUT(110),
  /** {@code FI_ECONNREFUSED}: connection refused. */
  ECONNREFUSED(111),
  /** {@code FI_EHOSTDOWN}: host is down. */
  EHOSTDOWN(112),
  /** {@code FI_EHOSTUNREACH}: no route to host. */
  EHOSTUNREACH(113),
  /** {@code FI_EALREADY}: operation already in progress. */
  EALREADY(114),
  /** {@code FI_EINPROGRESS}: operation now in progress. */
  EINPROGRESS(115),
  /** {@code FI_EREMOTEIO}: remote I/O error. */
  EREMOTEIO(121),
  /** {@code FI_ECANCELED}: operation canceled. */
  ECANCELED(125),
  /** {@code FI_EKEYREJECTED}: key was rejected by service. */
  EKEYREJECTED(129),
  /** {@code FI_EOTHER}: anything else. */
  EOTHER(256),
  /** {@code FI_ETOOSMALL}: the buffer is too small. */
  ETOOSMALL(257),
  /** {@code FI_EOPBADSTATE}: not allowed in this state. */
  EOPBADSTATE(258),
  /** {@code FI_EAVAIL}: an error entry waits in the queue. */
  EAVAIL(259),
  /** {@code FI_EBADFLAGS}: flags that the call does not take. */
  EBADFLAGS(260),
  /** {@code FI_ENOEQ}: no event queue. */
  ENOEQ(261),
  /** {@code FI_EDOMAIN}: the domain is wrong. */
  EDOMAIN(262),
  /** {@code FI_ENOCQ}: no completion queue. */
  ENOCQ(263),
  /** {@code FI_ECRC}: a check sum does not match. */
  ECRC(264),
  /** {@code FI_ETRUNC}: the message did not fit. */
  ETRUNC(265),
  /** {@code FI_ENOKEY}: no key, such as an authorization key. */
  ENOKEY(266),
  /** {@code FI_ENOAV}: no address vector (from 1.5). */
  ENOAV(267),
  /** {@code FI_EOVERRUN}: the queue was overrun. */
  EOVERRUN(268),
  /** {@code FI_ENORX}: the receiver has no buffer ready. */
  ENORX(269),
  /** {@code FI_ENOMR}: no memory registration is left. */
  ENOMR(270),
  /** {@code FI_EFIREWALLADDR}: the peer is behind a firewall (from 2.2). */
  EFIREWALLADDR(271);

  private static final @Nullable Errno[] BY_NUMBER = byNumber();

  private final int number;

  Errno(int number) {
    this.number = number;
  }

  private static @Nullable Errno[] byNumber() {
    @Nullable Errno[] table = new Errno[EFIREWALLADDR.number + 1];
    for (Errno errno : values()) {
      table[errno.number] = errno;
    }
    return table;
  }

  /**
   * The number, as status arrays and error entries hold it.
   *
   * @return 0 or positive
   */
  public int number() {
    return number;
  }

  /**
   * {@code fi_strerror}: the error in a few words.
   *
   * @return the text
   */
  public String text() {
    return describe(number);
  }

  /**
   * The constant of a number. Never fails, because numbers come from other programs too.
   *
   * @param number an errno of either sign
   * @return its constant; {@link #EOTHER} if fabrics do not use that number
   */
  public static Errno of(int number) {
    int positive = Math.abs(number);
    // Math.abs leaves the least integer negative.
    boolean inTable = positive >= 0 && positive < BY_NUMBER.length;
    Errno errno = inTable ? BY_NUMBER[positive] : null;
    return errno == null ? EOTHER : errno;
  }

  /**
   * {@code fi_strerror}: any number in a few words.
   *
   * @param number an errno of either sign
   * @return the text; numbers that neither Linux nor libfabric uses have one too
   */
  public static String describe(int number) {
    return ErrnoText.of(number);
  }
}
