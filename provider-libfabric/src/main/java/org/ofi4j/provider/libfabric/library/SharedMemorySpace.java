// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.library;

import org.jspecify.annotations.Nullable;

/** The space that provider {@code shm} takes in {@code /dev/shm}, and refusals for lack of it. */
public final class SharedMemorySpace {
  // The file of an endpoint without entries, and its entries for one transmit and one receive:
  // the most that any of the releases takes.
  private static final long FIXED = 8_474_188;
  private static final long TRANSMIT = 16;
  private static final long RECEIVE = 4_674;

  private static final long FIXED_2_5 = 8_415_104;
  private static final long TRANSMIT_2_5 = 4_608;
  private static final long RECEIVE_2_5 = 512;

  private static final long FIXED_2_6 = 8_418_720;
  private static final long TRANSMIT_2_6 = 448;
  private static final long RECEIVE_2_6 = 4_480;

  /** The size of queues if neither hints nor variables give one. */
  private static final int DEFAULT_OPERATIONS = 1_024;

  private static final int FEW = 16;

  /** The variable that has libfabric pass messages in files. */
  public static final String MESSAGES_IN_FILES = "FI_SHM_SAR_THRESHOLD";

  private SharedMemorySpace() {}

  /**
   * Returns the length of the file of an endpoint, at most. Up to 2.4 that is a power of two, all
   * of which libfabric writes to.
   *
   * @param transmits how many transmits may be under way
   * @param receives how many receives may be posted
   */
  public static long ofEndpoint(long transmits, long receives, Libfabric library) {
    long out = powerOfTwo(transmits);
    long in = powerOfTwo(receives);
    if (library.isBefore(2, 5)) {
      return powerOfTwo(FIXED + TRANSMIT * out + RECEIVE * in);
    }
    return library.isBefore(2, 6)
        ? FIXED_2_5 + TRANSMIT_2_5 * out + RECEIVE_2_5 * in
        : FIXED_2_6 + TRANSMIT_2_6 * out + RECEIVE_2_6 * in;
  }

  private static long powerOfTwo(long count) {
    return count <= 1 ? 1 : Long.highestOneBit(count - 1) << 1;
  }

  /** Returns the number of free bytes. */
  private static long free() {
    return SharedFiles.DIRECTORY.toFile().getUsableSpace();
  }

  /** Returns why an endpoint is not opened that needs more bytes than are free. */
  public static String lacking(long bytes, Libfabric library) {
    return "an endpoint takes %s of %s, and %s are free: %s"
        .formatted(
            kibibytes(bytes), SharedFiles.DIRECTORY, kibibytes(free()), remedy(bytes, library));
  }

  /**
   * Returns why libfabric offers no {@code shm}, if that is for lack of space: it offers it only if
   * there is space for as many endpoints as the host has processors.
   *
   * @param transmits what hints ask for; 0 for the default
   * @param receives what hints ask for; 0 for the default
   * @return the reason; null if there is space
   */
  public static @Nullable String lackingForOffers(
      long transmits, long receives, Libfabric library) {
    long out = transmits == 0 ? configured("FI_SHM_TX_SIZE") : transmits;
    long in = receives == 0 ? configured("FI_SHM_RX_SIZE") : receives;
    long each = ofEndpoint(out, in, library);
    long processors = CLibrary.processors();
    if (free() >= each * processors) {
      return null;
    }
    return "libfabric %s has shm only with space in %s for an endpoint for each of the %d"
            .formatted(library.versionText(), SharedFiles.DIRECTORY, processors)
        + " processors of the host, which is %s, and %s are free: %s"
            .formatted(kibibytes(each * processors), kibibytes(free()), remedy(each, library));
  }

  /**
   * Returns why messages need space in {@code /dev/shm} that nothing reserves; null if they do not.
   * If processes cannot copy from each other, libfabric before 2.5 passes a message that is longer
   * than the variable says in a file of its own.
   *
   * @param provider as libfabric names it
   */
  public static @Nullable String unreserved(@Nullable String provider, Libfabric library) {
    return "shm".equals(provider)
            && library.isBefore(2, 5)
            && System.getenv(MESSAGES_IN_FILES) != null
        ? "passes messages in files without making sure that there is space, and the JVM ends if"
            + " there is none"
        : null;
  }

  private static long configured(String variable) {
    try {
      return Long.parseLong(System.getenv().getOrDefault(variable, "").strip());
    } catch (NumberFormatException absent) {
      return DEFAULT_OPERATIONS;
    }
  }

  private static String remedy(long bytes, Libfabric library) {
    long least = ofEndpoint(FEW, FEW, library);
    String more =
        "start the container with more shared memory (docker run --shm-size=1g), close endpoints,"
            + " or remove files that processes have left which were killed";
    return least >= bytes
        ? more
        : more
            + "; with Limits of %d transmits and receives in the hints an endpoint takes %s"
                .formatted(FEW, kibibytes(least));
  }

  private static String kibibytes(long bytes) {
    return "%d KiB".formatted((bytes + 1_023) / 1_024);
  }
}
