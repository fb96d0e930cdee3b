// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.library;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;

/**
 * The libfabric that is installed: its exported functions, which lead to all others. Loaded once,
 * when it is first asked for, and never let go of. Any thread may call.
 */
public final class Libfabric {
  /** The file to load in place of the installed library. */
  public static final String FILE_PROPERTY = "ofi4j.libfabric.file";

  private static final String DEFAULT_FILE = "libfabric.so.1";

  /** The version of the API that is spoken: what later libraries add to structs is not used. */
  private static final int MAJOR = 1;

  private static final int MINOR = 17;

  private final SignalHandlers signals;
  private final DiscardSink discardSink = new DiscardSink();
  private final int version;
  private final MemorySegment getinfo;
  private final MemorySegment freeinfo;
  private final MemorySegment dupinfo;
  private final MemorySegment fabric;
  private final MemorySegment strerror;

  /** What loading came to, for all who ask: the library, or why there is none. */
  private static final class Loaded {
    private static final @Nullable Libfabric LIBRARY;
    private static final @Nullable Unavailable REASON;

    static {
      Libfabric library = null;
      Unavailable reason = null;
      try {
        library = load(System.getProperty(FILE_PROPERTY, DEFAULT_FILE));
      } catch (Unavailable unavailable) {
        reason = unavailable;
      } catch (LinkageError failed) {
        // Initializers of classes make all calls that need permission.
        reason =
            failed.getCause() instanceof IllegalCallerException denied
                ? new Unavailable(denied.getMessage() + ": " + ALLOW)
                : new Unavailable(
                    "this JVM cannot call C on this machine: "
                        + Objects.requireNonNullElse(failed.getCause(), failed));
      }
      LIBRARY = library;
      REASON = reason;
    }
  }

  /** What lets this module call C. */
  public static final String ALLOW =
      "start java with --enable-native-access=org.ofi4j.provider.libfabric, or"
          + " --enable-native-access=ALL-UNNAMED where it is on the class path";

  /** Why libfabric cannot be used, in words. */
  public static final class Unavailable extends Exception {
    private static final long serialVersionUID = 1;

    Unavailable(String reason) {
      super(reason);
    }

    /** The reason. */
    public String reason() {
      return Objects.requireNonNull(getMessage());
    }
  }

  /**
   * The library.
   *
   * @throws Unavailable if it is not installed, too old, or not to be called
   */
  public static Libfabric installed() throws Unavailable {
    Libfabric library = Loaded.LIBRARY;
    if (library == null) {
      throw new Unavailable(Objects.requireNonNull(Loaded.REASON).reason());
    }
    return library;
  }

  /** The library, for who has seen it before. */
  public static Libfabric present() {
    try {
      return installed();
    } catch (Unavailable unavailable) {
      throw new FabricException(Errno.ENOSYS, unavailable.reason(), unavailable);
    }
  }

  /** Whether the JVM lets this module call C without a warning. */
  public static boolean isAllowed() {
    return Libfabric.class.getModule().isNativeAccessEnabled();
  }

  private static Libfabric load(String file) throws Unavailable {
    if (!"Linux".equals(System.getProperty("os.name"))) {
      throw new Unavailable("libfabric is used on Linux only");
    }
    if (file.isEmpty()) {
      // To dlopen it would be the program itself.
      throw new Unavailable(
          "-D" + FILE_PROPERTY + " is empty: name a file of libfabric, or omit it");
    }
    // A library that comes with libfabric takes the JVM's handlers of signals while it is loaded.
    CLibrary.setDefault("IPATH_NO_BACKTRACE", "1");
    SignalHandlers signals = new SignalHandlers();
    long handle = signals.keeping(() -> CLibrary.dlopen(file));
    if (handle == 0) {
      throw new Unavailable(
          "libfabric cannot be loaded (%s): install it, as with \"apt-get install libfabric1\", or"
                  .formatted(CLibrary.dlerror())
              + " name its file with -D"
              + FILE_PROPERTY);
    }
    return new Libfabric(signals, handle, file);
  }

  private Libfabric(SignalHandlers signals, long handle, String file) throws Unavailable {
    this.signals = signals;
    version = (int) Downcalls.call(function(handle, "fi_version", file));
    if (major() < MAJOR || (major() == MAJOR && minor() < MINOR)) {
      throw new Unavailable(
          "%s is libfabric %s: %s.%s or later is needed"
              .formatted(file, versionText(), MAJOR, MINOR));
    }
    getinfo = function(handle, "fi_getinfo", file);
    freeinfo = function(handle, "fi_freeinfo", file);
    dupinfo = function(handle, "fi_dupinfo", file);
    fabric = function(handle, "fi_fabric", file);
    strerror = function(handle, "fi_strerror", file);
  }

  private MemorySegment function(long handle, String name, String file) throws Unavailable {
    long address = CLibrary.dlsym(handle, name);
    if (address == 0) {
      throw new Unavailable(file + " has no function " + name + ": it is not libfabric");
    }
    return MemorySegment.ofAddress(address);
  }

  /** Memory for discarded bytes. */
  public DiscardSink discardSink() {
    return discardSink;
  }

  /** Which release it is. */
  public String versionText() {
    return major() + "." + minor();
  }

  /** Whether it is an earlier release than another one. */
  public boolean isBefore(int otherMajor, int otherMinor) {
    return major() < otherMajor || (major() == otherMajor && minor() < otherMinor);
  }

  private int major() {
    return version >>> 16;
  }

  private int minor() {
    return version & 0xFFFF;
  }

  /**
   * Makes a call that may install signal handlers, and puts those of the JVM back.
   *
   * @return what the call returns
   */
  public long keepingSignals(LongSupplier call) {
    return signals.keeping(call);
  }

  /**
   * {@code fi_getinfo}.
   *
   * @param node a host, or null
   * @param service a port or service, or null
   * @param flags bits such as {@link Constants#SOURCE}
   * @return 0 or a negative errno; {@code result} has the address of the first offer
   */
  int getinfo(
      @Nullable String node, @Nullable String service, long flags, long hints, long result) {
    try (Arena arena = Arena.ofConfined()) {
      long nodeText = node == null ? 0 : arena.allocateFrom(node).address();
      long serviceText = service == null ? 0 : arena.allocateFrom(service).address();
      return (int)
          signals.keeping(() ->
              Downcalls.call(
                  getinfo, MAJOR << 16 | MINOR, nodeText, serviceText, flags, hints, result));
    }
  }

  /** {@code fi_dupinfo}: a copy; of 0 an empty one. */
  long dupinfo(long info) {
    return Downcalls.call(dupinfo, info);
  }

  void freeinfo(long info) {
    Downcalls.call(freeinfo, info);
  }

  /** {@code fi_fabric}; 0 or a negative errno. */
  int fabric(long attributes, long result) {
    return (int) signals.keeping(() -> Downcalls.call(fabric, attributes, result, 0));
  }

  /** {@code fi_strerror}: what libfabric says of an errno. */
  public String strerror(int errno) {
    String text = RawMemory.text(Downcalls.call(strerror, errno));
    return text == null ? "error " + errno : text;
  }
}
