// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.shm;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.ofi4j.provider.libfabric.library.MappedMemory;

/**
 * The file of a peer of provider {@code shm}, and whether the peer is there. libfabric must not be
 * asked: releases before 2.0 give all peers that are not there the same handle, and no release
 * notices that a peer is gone.
 *
 * <p>A peer is gone when its file is deleted, as closing an endpoint does, or when the process has
 * ended that had the file mapped. A process is known by its number only if it was seen to have the
 * file mapped: in another namespace of processes that number is another process or none.
 *
 * <p>Guarded by the lock of the domain. Looks that find nothing new allocate nothing.
 */
public final class PeerFile {
  private static final Path MEMORY = Path.of("/dev/shm");
  private static final String SEPARATOR = "://";

  /** Between looks for a peer that is not there. */
  private static final long LOOK_PAUSE = TimeUnit.MILLISECONDS.toNanos(1);

  /** Between looks for one that was there. */
  private static final long WATCH_PAUSE = TimeUnit.MILLISECONDS.toNanos(50);

  private final MappedMemory memory;
  private final Path path;
  private final MemorySegment text;

  private long nextLook = System.nanoTime();
  private int closings;
  private boolean met;
  private boolean gone;

  /** Which file it was, and whose, when the peer was last there. */
  private @Nullable Object key;

  private @Nullable ProcessHandle process;

  /** The file of a peer that nothing is known of yet. */
  public PeerFile(Path path, MappedMemory memory) {
    this.memory = memory;
    this.path = path;
    text = Arena.ofAuto().allocateFrom(path.toString());
  }

  /** The file that a packed address names, text with its zero byte; null if it names none. */
  public static @Nullable Path of(byte[] address) {
    String text = new String(address, 0, address.length - 1, StandardCharsets.UTF_8);
    int separator = text.indexOf(SEPARATOR);
    String name = separator < 0 ? text : text.substring(separator + SEPARATOR.length());
    return name.isEmpty() || name.contains("/") ? null : MEMORY.resolve(name);
  }

  public Path path() {
    return path;
  }

  /** Whether the peer was there when it was last looked for, which is done once in a while. */
  public boolean isThere() {
    if (met && !gone) {
      watch();
    }
    if (!met || gone) {
      look();
    }
    return met && !gone;
  }

  /** Whether the peer was there, and is not any more. */
  public boolean isGone() {
    return met && !isThere();
  }

  private void watch() {
    int now = SharedRegions.closings();
    long time = System.nanoTime();
    if (now == closings && time - nextLook < 0) {
      return;
    }
    closings = now;
    nextLook = time + WATCH_PAUSE;
    ProcessHandle present = process;
    gone = !memory.exists(text.address()) || (present != null && !present.isAlive());
  }

  private void look() {
    long time = System.nanoTime();
    if (time - nextLook < 0) {
      return;
    }
    nextLook = time + LOOK_PAUSE;
    try {
      BasicFileAttributes found = Files.readAttributes(path, BasicFileAttributes.class);
      // An endpoint that is being opened has an empty file; one of a process that was killed stays.
      if (found.size() > 0 && !(gone && found.fileKey().equals(key))) {
        met = true;
        gone = false;
        key = found.fileKey();
        process = owner();
        nextLook = time + WATCH_PAUSE;
      }
    } catch (IOException absent) {
      // It is looked for again.
      return;
    }
  }

  /** The process that has the file, by the number in the file's name; null if that is not sure. */
  private @Nullable ProcessHandle owner() {
    String name = path.getFileName().toString();
    int digits = 0;
    while (digits < name.length() && Character.isDigit(name.charAt(digits))) {
      digits++;
    }
    if (digits == 0 || digits > 9) {
      return null;
    }
    String number = name.substring(0, digits);
    try (Stream<String> mappings = Files.lines(Path.of("/proc", number, "maps"))) {
      return mappings.anyMatch(line -> line.endsWith(" " + path))
          ? ProcessHandle.of(Long.parseLong(number)).orElse(null)
          : null;
    } catch (IOException | RuntimeException unreadable) {
      return null;
    }
  }
}
