// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric;

import static org.ofi4j.provider.libfabric.Rig.assertPattern;
import static org.ofi4j.provider.libfabric.Rig.memory;
import static org.ofi4j.provider.libfabric.Rig.pattern;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.ofi4j.Capability;
import org.ofi4j.Completion;
import org.ofi4j.CompletionFlag;
import org.ofi4j.EndpointOptions;
import org.ofi4j.Errno;
import org.ofi4j.Hints;
import org.ofi4j.ReceiveMode;
import org.ofi4j.ReceiveRequest;
import org.ofi4j.ReliableEndpoint;
import org.ofi4j.TagPattern;
import org.ofi4j.TaggedSendRequest;
import org.ofi4j.TransferMemory;

/** A sender and a receiver over the provider of the argument, each with a domain of its own. */
final class OverlongProgram implements AutoCloseable {
  private static final long LAST = CompletionFlag.MULTI_RECEIVE.mask();
  private static final long TAG = 7;
  private static final int LEAST = 1_000;

  private final Rig out;
  private final Rig in;
  private final ReliableEndpoint sender;
  private final ReliableEndpoint receiver;
  private final long to;
  private final List<TransferMemory> allocated = new ArrayList<>();

  private OverlongProgram(Hints hints) {
    out = new Rig(hints);
    in = new Rig(hints);
    sender = out.endpoint();
    receiver = in.endpoint(EndpointOptions.of(in.vector, in.queue).withMinMultiReceive(LEAST));
    to = out.insert(receiver);
    in.insert(sender);
  }

  @Override
  public void close() {
    allocated.forEach(TransferMemory::close);
    out.close();
    in.close();
  }

  /** A scenario with two endpoints. */
  private interface Use {
    void of(OverlongProgram both) throws Exception;
  }

  public static void main(String[] arguments) {
    String provider = arguments[0];
    boolean shared = provider.equals("shm");
    Hints plain = Hints.reliable().withProvider(provider);
    Hints hints = shared ? plain : plain.withSource("127.0.0.1:0");
    Scenarios scenarios = new Scenarios();
    for (boolean tagged : new boolean[] {false, true}) {
      for (boolean late : new boolean[] {false, true}) {
        add(
            scenarios,
            provider + (tagged ? ", tagged" : "") + (late ? ", late" : ""),
            hints.withCapabilities(Capability.MSG, Capability.TAGGED),
            both -> both.overlong(tagged, late));
      }
    }
    Hints several = hints.withCapabilities(Capability.MSG, Capability.MULTI_RECEIVE);
    String name = provider + ", several messages: ";
    add(scenarios, name + "three buffers in turn", several, OverlongProgram::threeBuffers);
    add(scenarios, name + "one that does not fit", several, OverlongProgram::doesNotFit);
    add(scenarios, name + "receives behind a buffer", several, OverlongProgram::receivesBehind);
    add(scenarios, name + "withdrawn", several, OverlongProgram::withdrawn);
    add(scenarios, name + "open when all is closed", several, OverlongProgram::leftOpen);
    scenarios.runAndExit();
  }

  private static void add(Scenarios scenarios, String name, Hints hints, Use use) {
    scenarios.add(
        name,
        () -> {
          try (OverlongProgram both = new OverlongProgram(hints)) {
            use.of(both);
          }
        });
  }

  // Messages for one receive each.

  private void overlong(boolean tagged, boolean late) throws Exception {
    int seed = 0;
    for (long length : new long[] {20, 5_000, 70_000, 1 << 20}) {
      for (long space : new long[] {0, 10, 4_096}) {
        seed++;
        check(new Message(length, space, seed), tagged, late);
        // Later messages are not affected.
        check(new Message(8, 8, -seed), tagged, late);
      }
    }
    assertEquals(0, receiver.statistics().outstandingReceives(), "receives");
  }

  private record Message(long length, long space, int seed) {}

  private void check(Message message, boolean tagged, boolean late) throws Exception {
    // The bytes behind the receive are watched.
    MemorySegment all = allocate(message.space + message.length);
    all.fill((byte) 0);
    MemorySegment buffer = all.asSlice(0, message.space);
    if (!late) {
      receive(buffer, tagged);
    }
    send(pattern(memory(message.length), message.seed), tagged);
    if (late) {
      for (int i = 0; i < 50; i++) {
        out.move();
        in.move();
      }
      receive(buffer, tagged);
    }
    long fits = Math.min(message.space, message.length);
    Completion ended = next("receive");
    if (message.length > message.space) {
      checkCut(ended, fits, message.length - fits);
    } else {
      assertEquals(message.length, length(ended), "length of " + ended);
    }
    assertPattern(buffer, fits, message.seed);
    assertUntouched(all.asSlice(message.space));
    out.success("send");
  }

  /** Checks that memory behind a receive is still zero. */
  private static void assertUntouched(MemorySegment behind) {
    long at = behind.mismatch(memory(behind.byteSize()));
    assertEquals(-1, at, "byte behind the receive that was written");
  }

  private static long length(Completion received) {
    if (received instanceof Completion.Success success) {
      return success.length();
    }
    throw new AssertionError("expected a success, but got " + received);
  }

  private static void checkCut(Completion ended, long fits, long beyond) {
    if (!(ended instanceof Completion.Failure failure)) {
      throw new AssertionError("it was cut, but has succeeded: " + ended);
    }
    assertEquals(Errno.ETRUNC, failure.errno(), "errno of " + failure);
    assertEquals(fits, failure.length(), "length of " + failure);
    assertEquals(beyond, failure.overflow(), "overflow of " + failure);
  }

  // Buffers for several messages.

  private void threeBuffers() throws Exception {
    MemorySegment[] buffers = new MemorySegment[3];
    for (int i = 0; i < 3; i++) {
      buffers[i] = i == 1 ? memory(12_500) : allocate(12_500);
      several(buffers[i], "buffer " + i);
    }
    for (int round = 0; round < 6; round++) {
      send(pattern(memory(6_000), round), false);
      Completion.Success got = (Completion.Success) next("buffer " + round / 2);
      assertEquals(6_000L, got.length(), "length of " + got);
      assertEquals(6_000L * (round % 2), got.tag(), "place of " + got);
      assertEquals(round % 2 == 1, (got.flags() & LAST) != 0, "last: " + got);
      MemorySegment part = buffers[round / 2].asSlice(got.tag(), got.length());
      assertPattern(part, 6_000, round);
      out.success("send");
    }
    assertEquals(0, receiver.statistics().outstandingReceives(), "receives");
  }

  private void doesNotFit() throws Exception {
    MemorySegment all = allocate(400_000);
    all.fill((byte) 0);
    several(all.asSlice(0, 10_000), "buffer");
    send(pattern(memory(6_000), 1), false);
    send(pattern(memory(200_000), 2), false);
    Completion first = next("buffer");
    assertEquals(6_000L, length(first), "length of " + first);
    Completion second = next("buffer");
    checkCut(second, 4_000, 196_000);
    assertEquals(true, (second.flags() & LAST) != 0, "last: " + second);
    assertPattern(all, 6_000, 1);
    assertPattern(all.asSlice(6_000), 4_000, 2);
    assertUntouched(all.asSlice(10_000));
    out.success("send");
    out.success("send");
    assertEquals(0, receiver.statistics().outstandingReceives(), "receives");
  }

  private void receivesBehind() throws Exception {
    several(memory(2_000), "buffer");
    MemorySegment single = memory(700);
    until(() -> receiver.tryReceive(single, "single"));
    several(memory(2_000), "another");
    for (int i = 0; i < 4; i++) {
      send(pattern(memory(700), i), false);
    }
    for (int i = 0; i < 2; i++) {
      assertEquals(700L * i, ((Completion.Success) next("buffer")).tag(), "place of " + i);
    }
    next("single");
    assertPattern(single, 700, 2);
    assertEquals(0L, ((Completion.Success) next("another")).tag(), "place in the other");
    assertEquals(1, receiver.statistics().outstandingReceives(), "receives");
  }

  private void withdrawn() throws Exception {
    several(memory(2_000), "buffer");
    several(memory(2_000), "waiting");
    until(() -> receiver.tryReceive(memory(8), "single"));
    assertEquals(true, receiver.cancel("waiting"), "taken back");
    checkCanceled(next("waiting"));
    send(memory(100), false);
    next("buffer");
    assertEquals(true, receiver.cancel("buffer"), "taken back");
    checkCanceled(next("buffer"));
    send(memory(8), false);
    assertEquals(8L, length(next("single")), "length of the receive behind");
    assertEquals(0, receiver.statistics().outstandingReceives(), "receives");
  }

  private static void checkCanceled(Completion ended) {
    if (!(ended instanceof Completion.Failure failure) || failure.errno() != Errno.ECANCELED) {
      throw new AssertionError("it was taken back, but: " + ended);
    }
  }

  private void leftOpen() throws Exception {
    several(memory(2_000), "buffer");
    several(memory(2_000), "waiting");
    until(() -> receiver.tryReceive(memory(8), "single"));
    send(memory(100), false);
    next("buffer");
  }

  // Posting, and what completes.

  private MemorySegment allocate(long bytes) {
    TransferMemory memory = in.domain.allocate(bytes);
    allocated.add(memory);
    return memory.segment();
  }

  private void several(MemorySegment buffer, String context) {
    ReceiveRequest request = new ReceiveRequest().memory(buffer);
    request.mode(ReceiveMode.SEVERAL_MESSAGES).context(context);
    until(() -> receiver.tryReceive(request));
  }

  private void receive(MemorySegment buffer, boolean tagged) {
    until(() ->
        tagged
            ? receiver.tryReceiveTagged(buffer, TagPattern.exactly(TAG), "receive")
            : receiver.tryReceive(buffer, "receive"));
  }

  private void send(MemorySegment message, boolean tagged) {
    until(() ->
        tagged
            ? sender.trySendTagged(
                new TaggedSendRequest().memory(message).destination(to).tag(TAG).context("send"))
            : sender.trySend(message, to, "send"));
  }

  private void until(BooleanSupplier posted) {
    while (!posted.getAsBoolean()) {
      out.move();
      in.move();
    }
  }

  /** The receiver's next completion, which has to have a context. */
  private Completion next(String context) throws InterruptedException {
    Completion next = null;
    while (next == null) {
      out.move();
      next = in.next(Duration.ofMillis(1));
    }
    assertEquals(context, next.context(), "context of " + next);
    return next;
  }

  private static void assertEquals(Object expected, Object found, String of) {
    boolean numbers = expected instanceof Number && found instanceof Number;
    Object wanted = numbers ? (Object) ((Number) expected).longValue() : expected;
    Object had = numbers ? (Object) ((Number) found).longValue() : found;
    if (!wanted.equals(had)) {
      throw new AssertionError("%s: %s instead of %s".formatted(of, found, expected));
    }
  }
}
