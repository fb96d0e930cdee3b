// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.ofi4j.Access;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.Handles;
import org.ofi4j.RegisterOptions;

/** Memory that is posted or registered, and cannot be. */
class GivenMemoryTest {
  private static final String CONFINED = "automatic progress moves data with its own";
  private static final Thread OTHER = Thread.ofPlatform().unstarted(() -> {});
  private static final MemorySegment MEMORY = Arena.ofAuto().allocate(8);

  private static AbstractThrowableAssert<?, ? extends Throwable> assertRefused(
      Errno errno, ThrowingCallable call) {
    return assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            FabricException.class, refusal -> assertThat(refusal.errno()).isEqualTo(errno));
  }

  @Test
  @DisplayName("Memory is usable by the thread that moves the data, or by the calling one")
  void usable() {
    assertThat(PostedMemory.usable(MEMORY, "message", OTHER)).isSameAs(MEMORY);
    try (Arena confined = Arena.ofConfined()) {
      MemorySegment own = confined.allocate(8);
      assertThat(PostedMemory.usable(own, "message", null)).isSameAs(own);
      assertRefused(Errno.EINVAL, () -> PostedMemory.usable(own, "message", OTHER))
          .hasMessageContainingAll("message is confined", CONFINED);
      assertRefused(Errno.EINVAL, () -> PostedMemory.writable(own, "buffer", OTHER))
          .hasMessageContainingAll("buffer is confined", CONFINED);
    }
    assertRefused(Errno.EINVAL, () -> PostedMemory.usable(null, "message", null))
        .hasMessageContaining("message is null");
  }

  @Test
  @DisplayName("Memory that was freed is refused, and not for the thread")
  void freed() {
    Arena closed = Arena.ofConfined();
    MemorySegment freed = closed.allocate(8);
    closed.close();

    assertRefused(Errno.EINVAL, () -> PostedMemory.usable(freed, "message", OTHER))
        .hasMessageContaining("message has been freed")
        .hasMessageNotContaining(CONFINED);
    assertRefused(
            Errno.EINVAL,
            () -> PostedMemory.registrable(freed, RegisterOptions.of(Access.REMOTE_READ), null))
        .hasMessageContaining("memory has been freed");
  }

  @Test
  @DisplayName("Messages are not written to memory that is read-only, and may be read from it")
  void readOnly() {
    MemorySegment constant = MEMORY.asReadOnly();

    assertThat(PostedMemory.usable(constant, "message", null)).isSameAs(constant);
    assertRefused(Errno.EINVAL, () -> PostedMemory.writable(constant, "buffer", null))
        .hasMessageContaining("buffer is read-only");
    RegisterOptions reads = RegisterOptions.of(Access.REMOTE_READ);
    assertThat(PostedMemory.registrable(constant, reads, OTHER)).isSameAs(constant);
    RegisterOptions writes = RegisterOptions.of(Access.REMOTE_READ, Access.REMOTE_WRITE);
    assertThat(PostedMemory.registrable(MEMORY, writes, OTHER)).isSameAs(MEMORY);
    assertRefused(Errno.EINVAL, () -> PostedMemory.registrable(constant, writes, OTHER))
        .hasMessageContaining("REMOTE_WRITE");
  }

  @Test
  @DisplayName("A message of the greatest length passes, and a longer one does not")
  void length() {
    PostedMemory.checkLength("message", 8, 8);

    assertRefused(Errno.EMSGSIZE, () -> PostedMemory.checkLength("message", 9, 8))
        .hasMessageContainingAll("message of 9 bytes", "8");
  }

  @Test
  @DisplayName("A region has bytes, access that means something, and a key that is one")
  void region() {
    RegisterOptions good = RegisterOptions.of(Access.values());

    assertThat(PostedMemory.registrable(MEMORY, good.withKey(7), null)).isSameAs(MEMORY);
    assertRefused(Errno.EINVAL, () -> PostedMemory.registrable(MEMORY.asSlice(0, 0), good, null))
        .hasMessageContaining("memory has no bytes");
    assertRefused(
            Errno.EKEYREJECTED,
            () -> PostedMemory.registrable(MEMORY, good.withKey(Handles.KEY_NOT_AVAILABLE), null))
        .hasMessageContaining("KEY_NOT_AVAILABLE");
  }
}
