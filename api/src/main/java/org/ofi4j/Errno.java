package org.ofi4j;

/** {@code rdma/fi_errno.h}: fabric errors. Numbers up to 255 are the operating system's. */
public enum Errno {
  /** {@code FI_SUCCESS}. */
  SUCCESS(0, "Success"),
  /** {@code FI_ENOENT}. */
  ENOENT(2, ""),
  /** {@code FI_EIO}. */
  EIO(5, ""),
  /** {@code FI_E2BIG}. */
  E2BIG(7, ""),
  /** {@code FI_EAGAIN}. */
  EAGAIN(11, ""),
  /** {@code FI_ENOMEM}. */
  ENOMEM(12, ""),
  /** {@code FI_EACCES}. */
  EACCES(13, ""),
  /** {@code FI_EBUSY}. */
  EBUSY(16, ""),
  /** {@code FI_EINVAL}. */
  EINVAL(22, ""),
  /** {@code FI_ENOSPC}. */
  ENOSPC(28, ""),
  /** {@code FI_ENOSYS}. */
  ENOSYS(38, ""),
  /** {@code FI_ENODATA}. */
  ENODATA(61, ""),
  /** {@code FI_EOVERFLOW}. */
  EOVERFLOW(75, ""),
  /** {@code FI_EMSGSIZE}. */
  EMSGSIZE(90, ""),
  /** {@code FI_EOPNOTSUPP}. */
  EOPNOTSUPP(95, ""),
  /** {@code FI_EADDRINUSE}. */
  EADDRINUSE(98, ""),
  /** {@code FI_EADDRNOTAVAIL}. */
  EADDRNOTAVAIL(99, ""),
  /** {@code FI_ECONNREFUSED}. */
  ECONNREFUSED(111, ""),
  /** {@code FI_EHOSTUNREACH}. */
  EHOSTUNREACH(113, ""),
  /** {@code FI_EALREADY}. */
  EALREADY(114, ""),
  /** {@code FI_ETIMEDOUT}. */
  ETIMEDOUT(110, ""),
  /** {@code FI_ECANCELED}. */
  ECANCELED(125, ""),
  /** {@code FI_EOTHER}. */
  EOTHER(256, ""),
  /** {@code FI_ETOOSMALL}. */
  ETOOSMALL(257, ""),
  /** {@code FI_EOPBADSTATE}. */
  EOPBADSTATE(258, ""),
  /** {@code FI_EAVAIL}. */
  EAVAIL(259, ""),
  /** {@code FI_EBADFLAGS}. */
  EBADFLAGS(260, ""),
  /** {@code FI_ENOEQ}. */
  ENOEQ(261, ""),
  /** {@code FI_EDOMAIN}. */
  EDOMAIN(262, ""),
  /** {@code FI_ENOCQ}. */
  ENOCQ(263, ""),
  /** {@code FI_ETRUNC}. */
  ETRUNC(265, ""),
  /** {@code FI_ENOKEY}. */
  ENOKEY(266, ""),
  /** {@code FI_ENOAV}. */
  ENOAV(267, ""),
  /** {@code FI_EOVERRUN}. */
  EOVERRUN(268, ""),
  /** {@code FI_EFIREWALLADDR}. */
  EFIREWALLADDR(271, "");

  private final int number;
  private final String text;

  Errno(int number, String text) {
    this.number = number;
    this.text = text;
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
    return text;
  }
}
