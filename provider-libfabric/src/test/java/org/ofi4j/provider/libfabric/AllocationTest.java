// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.ofi4j.Capability;
import org.ofi4j.Completion;
import org.ofi4j.CompletionFlag;
import org.ofi4j.CompletionHandler;
import org.ofi4j.Handles;
import org.ofi4j.Hints;
import org.ofi4j.OperationFailedException;
import org.ofi4j.Progress;
import org.ofi4j.ReceiveMode;
import org.ofi4j.ReceiveRequest;
import org.ofi4j.ReliableEndpoint;
import org.ofi4j.TagPattern;
import org.ofi4j.TaggedSendRequest;
import org.ofi4j.TransferMemory;
import org.ofi4j.provider.kit.KitDomain;

/** What a message costs the collector: nothing. */
class AllocationTest {
  private static final int MESSAGES = 5_000;

  /** Less than the smallest object. */
  private static final double NOTHING = 8;

  private static final TagPattern TAG = TagPattern.exactly(5);

  private static @Nullable Rig shared;
  private static ReliableEndpoint one;
  private static ReliableEndpoint two;
  private static long toTwo;

  private final MemorySegment message = Rig.memory(64);
  private final MemorySegment buffer = Rig.memory(64);
  private int taken;

  private final CompletionHandler counting =
      new CompletionHandler() {
        @Override
        public void completed(
            @Nullable Object context, long flags, long length, long data, long tag, long source) {
          taken++;
          released |= (flags & CompletionFlag.MULTI_RECEIVE.mask()) != 0;
        }

        @Override
        public void failed(Completion.Failure failure) {
          throw new OperationFailedException(failure);
        }
      };

  private boolean released;

  private static Rig rig() {
    return Objects.requireNonNull(shared);
  }

  private static Hints hints() {
    return Rig.hints("shm")
        .withCapabilities(Capability.MSG, Capability.TAGGED, Capability.MULTI_RECEIVE);
  }

  @BeforeAll
  static void open() {
    CCompiler.needProvider("shm");
    Rig rig = new Rig(hints());
    shared = rig;
    one = rig.endpoint();
    two = rig.endpoint();
    toTwo = rig.insert(two);
  }

  @AfterAll
  static void close() {
    if (shared != null) {
      shared.close();
    }
  }

  /** One message there and its completions back. */
  private interface Exchange {
    void run();
  }

  private void take(Rig rig, int completions) {
    taken = 0;
    while (taken < completions) {
      rig.queue.poll(counting, 2);
    }
  }

  private static void assertNothing(TestReporter reporter, Exchange exchange) {
    assertNothing(reporter, Thread.currentThread(), exchange);
  }

  private static void assertNothing(TestReporter reporter, Thread thread, Exchange exchange) {
    double each =
        Measured.allocatedForEach(
            NOTHING,
            MESSAGES,
            thread,
            () -> {
              for (int i = 0; i < MESSAGES; i++) {
                exchange.run();
              }
            });
    reporter.publishEntry("bytes for each message", String.valueOf(each));
    assertThat(each).isLessThan(NOTHING);
  }

  @Test
  @DisplayName("Messages allocate nothing")
  void messages(TestReporter reporter) {
    assertNothing(
        reporter,
        () -> {
          two.receive(buffer, buffer);
          one.send(message, toTwo, message);
          take(rig(), 2);
        });
  }

  @Test
  @DisplayName("Memory of the heap allocates nothing more")
  void heap(TestReporter reporter) {
    MemorySegment from = MemorySegment.ofArray(new byte[64]);
    MemorySegment into = MemorySegment.ofArray(new byte[64]);
    assertNothing(
        reporter,
        () -> {
          two.receive(into, into);
          one.send(from, toTwo, from);
          take(rig(), 2);
        });
  }

  @Test
  @DisplayName("Memory that the domain has allocated does neither")
  void allocated(TestReporter reporter) {
    try (TransferMemory memory = rig().domain.allocate(128)) {
      MemorySegment from = memory.segment().asSlice(0, 64);
      MemorySegment into = memory.segment().asSlice(64, 64);
      assertNothing(
          reporter,
          () -> {
            two.receive(into, into);
            one.send(from, toTwo, from);
            take(rig(), 2);
          });
    }
  }

  @Test
  @DisplayName("Tagged messages allocate nothing")
  void tagged(TestReporter reporter) {
    TaggedSendRequest request = new TaggedSendRequest().memory(message).destination(toTwo).tag(5);
    assertNothing(
        reporter,
        () -> {
          two.receiveTagged(buffer, TAG, buffer);
          one.sendTagged(request.context(message));
          take(rig(), 2);
        });
    assertNothing(
        reporter,
        () -> {
          two.receiveTagged(buffer, TAG, buffer);
          one.injectTagged(request);
          take(rig(), 1);
        });
  }

  @Test
  @DisplayName("Injected messages allocate nothing")
  void injected(TestReporter reporter) {
    assertNothing(
        reporter,
        () -> {
          two.receive(buffer, buffer);
          one.inject(message, toTwo);
          take(rig(), 1);
        });
  }

  @Test
  @DisplayName("Buffers of several messages allocate nothing for each")
  void several(TestReporter reporter) {
    ReceiveRequest request =
        new ReceiveRequest()
            .memory(Rig.memory(64 * 1_024))
            .mode(ReceiveMode.SEVERAL_MESSAGES)
            .context("several");
    try (Rig own = new Rig(hints())) {
      ReliableEndpoint from = own.endpoint();
      ReliableEndpoint to = own.endpoint();
      long handle = own.insert(to);
      released = true;
      assertNothing(
          reporter,
          () -> {
            if (released) {
              released = false;
              to.receive(request);
            }
            from.send(message, handle, message);
            take(own, 2);
          });
    }
  }

  @Test
  @DisplayName("Messages over a connection allocate nothing")
  void connected(TestReporter reporter) throws Exception {
    CCompiler.needProvider("net");
    try (ConnectionRig own = new ConnectionRig("net", Progress.MANUAL)) {
      ConnectionRig.Pair pair = own.pair(own.listen());
      assertNothing(
          reporter,
          () -> {
            pair.server().receive(buffer, buffer);
            pair.client().send(message, Handles.UNSPECIFIED, message);
            take(own.rig, 2);
          });
    }
  }

  @Test
  @DisplayName("The thread that makes automatic progress allocates nothing")
  void automatic(TestReporter reporter) {
    try (Rig own = new Rig(hints().withProgress(Progress.AUTO))) {
      ReliableEndpoint from = own.endpoint();
      ReliableEndpoint to = own.endpoint();
      long handle = own.insert(to);
      Thread mover = Objects.requireNonNull(((KitDomain) own.domain).transport().mover());
      assertNothing(
          reporter,
          mover,
          () -> {
            to.receive(buffer, buffer);
            from.send(message, handle, message);
            take(own, 2);
          });
    }
  }
}
