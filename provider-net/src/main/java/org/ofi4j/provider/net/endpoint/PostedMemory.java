package org.ofi4j.provider.net.endpoint;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.provider.net.progress.ProgressThread;

/** Checks of memory that an application posts. */
public final class PostedMemory {
  private PostedMemory() {}

  /** Refuses memory that the thread that is to move the data could not use. */
  public static MemorySegment usable(
      @Nullable MemorySegment memory, String name, @Nullable ProgressThread mover) {
    MemorySegment given = Required.value(memory, name);
    Thread thread = mover == null ? Thread.currentThread() : mover.thread();
    String reason = refusal(given, thread);
    if (reason != null) {
      boolean confined = given.scope().isAlive() && mover != null;
      throw new FabricException(
          Errno.EINVAL,
          name
              + " "
              + reason
              + (confined ? ", but automatic progress moves data with its own" : ""));
    }
    return given;
  }

  /** Why a thread cannot use memory, or null if it can. */
  public static @Nullable String refusal(MemorySegment memory, Thread thread) {
    if (!memory.scope().isAlive()) {
      return "has been freed";
    }
    return memory.isAccessibleBy(thread) ? null : "is confined to another thread than " + thread;
  }
}
