// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.ofi4j.Access;
import org.ofi4j.Capability;
import org.ofi4j.Completion;
import org.ofi4j.CompletionLevel;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.Handles;
import org.ofi4j.Hints;
import org.ofi4j.MemoryRegion;
import org.ofi4j.Progress;
import org.ofi4j.ReceiveRequest;
import org.ofi4j.RegisterOptions;
import org.ofi4j.ReliableEndpoint;
import org.ofi4j.TagPattern;
import org.ofi4j.TaggedReceiveRequest;
import org.ofi4j.TaggedSendRequest;
import org.ofi4j.UserId;
import org.ofi4j.VectorFlag;
import org.ofi4j.VectorOptions;
import org.ofi4j.WriteRequest;
import org.ofi4j.provider.net.Rig;

/** Traffic obeys authorization keys. */
class AuthorizationKeysTest {
  private static final byte[] RED = Rig.key(1);
  private static final byte[] BLUE = Rig.key(2);
  private static final byte[] GREEN = Rig.key(3);

  private static final TagPattern SEVEN = TagPattern.exactly(7);
  private static final Duration BRIEFLY = Duration.ofMillis(150);

  /** Too short for a peer that answers never, long enough for one that answers. */
  private static final Duration IMPATIENT = Duration.ofMillis(700);

  static List<Hints> kinds() {
    return Rig.tcpKinds().stream()
        .map(each -> each.withMoreCapabilities(Capability.DIRECTED_RECEIVE))
        .toList();
  }

  private static Hints hints() {
    return Rig.tcp("127.0.0.1", Progress.AUTO).withMoreCapabilities(Capability.DIRECTED_RECEIVE);
  }

  private static Hints remote() {
    return hints().withMoreCapabilities(Capability.RMA);
  }

  private static Rig impatient(Hints hints, byte[]... keys) {
    return Rig.holding(hints, VectorOptions.table(), IMPATIENT, keys);
  }

  private static void refused(Errno errno, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            FabricException.class, failed -> assertThat(failed.errno()).isEqualTo(errno));
  }

  private static void send(Rig from, long to, boolean tagged, String text) {
    if (tagged) {
      from.endpoint()
          .injectTagged(new TaggedSendRequest().memory(Rig.message(text)).destination(to).tag(7));
    } else {
      from.endpoint().inject(Rig.message(text), to);
    }
  }

  private static void receive(Rig at, long from, boolean tagged, Object context) {
    MemorySegment buffer = Rig.buffer(64);
    if (tagged) {
      at.endpoint()
          .receiveTagged(
              new TaggedReceiveRequest()
                  .memory(buffer)
                  .source(from)
                  .pattern(SEVEN)
                  .context(context));
    } else {
      at.endpoint().receive(new ReceiveRequest().memory(buffer).source(from).context(context));
    }
  }

  /** Receives what comes under a key. */
  private static void receiveUnder(Rig at, long key, boolean tagged, Object context) {
    MemorySegment buffer = Rig.buffer(64);
    if (tagged) {
      at.endpoint()
          .receiveTagged(
              new TaggedReceiveRequest()
                  .memory(buffer)
                  .sourceUnderKey(key)
                  .pattern(SEVEN)
                  .context(context));
    } else {
      at.endpoint()
          .receive(new ReceiveRequest().memory(buffer).sourceUnderKey(key).context(context));
    }
  }

  private static void succeeds(Completion ended, Object context, long source) {
    assertThat(ended)
        .isInstanceOfSatisfying(
            Completion.Success.class,
            received -> {
              assertThat(received.context()).isEqualTo(context);
              assertThat(received.source()).isEqualTo(source);
            });
  }

  /** A send fails because the peer does not hold its key. */
  private static void rejected(Completion ended, String reason) {
    assertThat(ended)
        .isInstanceOfSatisfying(
            Completion.Failure.class,
            failure -> {
              assertThat(failure.errno()).isEqualTo(Errno.EKEYREJECTED);
              assertThat(failure.toString()).contains(reason);
            });
  }

  @ParameterizedTest
  @MethodSource("kinds")
  @Tag("AV-157")
  @DisplayName("Who holds the same key is let in, and may answer")
  void sameKey(Hints hints) throws Exception {
    try (Rig server = Rig.holding(hints, RED, BLUE);
        Rig client = Rig.holding(hints, GREEN, BLUE)) {
      long ofServer = client.insertUnder(client.authKeys[1], server.name());
      long ofClient = server.insertUnder(server.authKeys[1], client.name());
      for (boolean tagged : new boolean[] {false, true}) {
        receive(server, Handles.UNSPECIFIED, tagged, "there");
        send(client, ofServer, tagged, "hello");
        succeeds(server.next(client), "there", ofClient);
        receive(client, Handles.UNSPECIFIED, tagged, "back");
        send(server, ofClient, tagged, "hello");
        succeeds(client.next(server), "back", ofServer);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  @Tag("AV-157")
  @DisplayName("Who sends under a key that the other side does not hold is told so")
  void otherKey(Hints hints) throws Exception {
    try (Rig server = Rig.holding(hints, RED);
        Rig client = impatient(hints, BLUE)) {
      long ofServer = client.insertUnder(client.authKeys[0], server.name());
      receive(server, Handles.UNSPECIFIED, false, "never");
      client.endpoint().send(Rig.message("x"), ofServer, "sent");
      rejected(client.next(server), "does not hold the authorization key");
      assertThat(server.next(BRIEFLY)).isNull();
    }
  }

  @Test
  @Tag("AV-158")
  @Tag("AV-159")
  @DisplayName("Keys count that were there when the endpoint was opened")
  void captured() throws Exception {
    try (Rig server = Rig.holding(hints(), RED);
        Rig client = impatient(hints(), RED, BLUE)) {
      long later = server.vector.insertAuthKey(BLUE);
      long ofServer = client.insertUnder(client.authKeys[1], server.name());
      client.endpoint().send(Rig.message("x"), ofServer, "sent");
      rejected(client.next(server), "does not hold");
      // Nor does the endpoint itself send under it, or select by it.
      long ofClient = server.insertUnder(later, client.name());
      refused(Errno.ENOKEY, () -> server.endpoint().inject(Rig.message("x"), ofClient));
      refused(Errno.EINVAL, () -> receiveUnder(server, later, false, "none"));

      try (ReliableEndpoint second =
          server.domain.openReliableEndpoint(server.vector, server.queue)) {
        second.receive(Rig.buffer(8), "second");
        long ofSecond = client.insertUnder(client.authKeys[1], second.address());
        client.endpoint().inject(Rig.message("x"), ofSecond);
        assertThat(server.next(client).context()).isEqualTo("second");
      }
    }
  }

  @Test
  @Tag("AV-159")
  void openedWithoutKeys() {
    refused(Errno.EINVAL, () -> Rig.holding(hints()));
  }

  @Test
  @Tag("AV-133")
  @DisplayName("A key stays as long as an endpoint holds it")
  void keyInUse() {
    try (Rig rig = Rig.holding(hints(), RED)) {
      refused(Errno.EBUSY, () -> rig.vector.removeAuthKey(rig.authKeys[0]));
      rig.endpoint().close();
      rig.vector.removeAuthKey(rig.authKeys[0]);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @Tag("AV-095")
  @DisplayName("One address under two keys is two peers: two connections, two sources")
  void twoKeys(boolean tagged) throws Exception {
    try (Rig server = Rig.holding(hints(), RED, BLUE);
        Rig client = Rig.holding(hints(), RED, BLUE)) {
      long red = server.insertUnder(server.authKeys[0], client.name());
      long blue = server.insertUnder(server.authKeys[1], client.name());
      long toRed = client.insertUnder(client.authKeys[0], server.name());
      long toBlue = client.insertUnder(client.authKeys[1], server.name());
      assertThat(red).isNotEqualTo(blue);
      // Expected: the directed receive waits for its own.
      receive(server, red, tagged, "red");
      receive(server, Handles.UNSPECIFIED, tagged, "any");
      send(client, toBlue, tagged, "b");
      succeeds(server.next(client), "any", blue);
      send(client, toRed, tagged, "r");
      succeeds(server.next(client), "red", red);
      // Unexpected.
      send(client, toBlue, tagged, "b");
      send(client, toRed, tagged, "r");
      server.move(BRIEFLY);
      receive(server, red, tagged, "red");
      succeeds(server.next(client), "red", red);
      receive(server, blue, tagged, "blue");
      succeeds(server.next(client), "blue", blue);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @Tag("AV-162")
  @Tag("AV-165")
  @DisplayName("A receive that is directed at a key takes messages of all who use it")
  void byKey(boolean tagged) throws Exception {
    try (Rig server = Rig.holding(hints(), RED, BLUE);
        Rig one = Rig.holding(hints(), RED, BLUE);
        Rig two = Rig.holding(hints(), RED)) {
      long oneRed = one.insertUnder(one.authKeys[0], server.name());
      long oneBlue = one.insertUnder(one.authKeys[1], server.name());
      long twoRed = two.insertUnder(two.authKeys[0], server.name());
      // Nobody is in the server's vector: a key is enough.
      receiveUnder(server, server.authKeys[0], tagged, "red");
      receive(server, Handles.UNSPECIFIED, tagged, "any");
      send(one, oneBlue, tagged, "b");
      succeeds(server.next(one), "any", Handles.NOT_AVAILABLE);
      send(two, twoRed, tagged, "r");
      succeeds(server.next(two), "red", Handles.NOT_AVAILABLE);
      // Messages that come early, of two senders under the key.
      send(one, oneBlue, tagged, "b");
      send(one, oneRed, tagged, "r");
      send(two, twoRed, tagged, "r");
      server.move(BRIEFLY);
      receiveUnder(server, server.authKeys[0], tagged, "first");
      receiveUnder(server, server.authKeys[0], tagged, "second");
      assertThat(server.next(one, two).context()).isEqualTo("first");
      assertThat(server.next(one, two).context()).isEqualTo("second");
      receiveUnder(server, server.authKeys[0], tagged, "third");
      assertThat(server.next(BRIEFLY)).isNull();
      receiveUnder(server, server.authKeys[1], tagged, "blue");
      assertThat(server.next(one).context()).isEqualTo("blue");
      send(one, oneRed, tagged, "r");
      assertThat(server.next(one).context()).isEqualTo("third");
    }
  }

  @Test
  @Tag("AV-165")
  @DisplayName("With bits of the tag ignored, a key still counts")
  void byKeyIgnoringBits() throws Exception {
    try (Rig server = Rig.holding(hints(), RED, BLUE);
        Rig one = Rig.holding(hints(), RED, BLUE)) {
      long red = one.insertUnder(one.authKeys[0], server.name());
      long blue = one.insertUnder(one.authKeys[1], server.name());
      MemorySegment buffer = Rig.buffer(8);
      server
          .endpoint()
          .receiveTagged(
              new TaggedReceiveRequest()
                  .memory(buffer)
                  .sourceUnderKey(server.authKeys[1])
                  .pattern(TagPattern.any())
                  .context("blue"));
      server
          .endpoint()
          .receiveTagged(
              new TaggedReceiveRequest()
                  .memory(buffer)
                  .sourceUnderKey(server.authKeys[0])
                  .pattern(TagPattern.any())
                  .context("red"));
      one.endpoint()
          .injectTagged(new TaggedSendRequest().memory(Rig.message("r")).destination(red).tag(1));
      assertThat(server.next(one).context()).isEqualTo("red");
      one.endpoint()
          .injectTagged(new TaggedSendRequest().memory(Rig.message("r")).destination(red).tag(2));
      one.endpoint()
          .injectTagged(new TaggedSendRequest().memory(Rig.message("b")).destination(blue).tag(3));
      assertThat(server.next(one).context()).isEqualTo("blue");
      server
          .endpoint()
          .receiveTagged(
              new TaggedReceiveRequest()
                  .memory(buffer)
                  .sourceUnderKey(server.authKeys[0])
                  .pattern(TagPattern.any())
                  .context("late"));
      assertThat(server.next(one).context()).isEqualTo("late");
    }
  }

  @Test
  @Tag("AV-163")
  @DisplayName("Without the flag a key's handle is none of an endpoint, and the other way round")
  void flagAndHandle() {
    try (Rig server = Rig.holding(hints(), RED);
        Rig client = Rig.holding(hints(), RED)) {
      long red = server.authKeys[0];
      long peer = server.insertUnder(red, client.name());
      refused(Errno.EINVAL, () -> receive(server, red, false, "none"));
      refused(Errno.EINVAL, () -> receive(server, red, true, "none"));
      refused(Errno.EINVAL, () -> receiveUnder(server, peer, false, "none"));
      refused(Errno.EINVAL, () -> receiveUnder(server, red + 1, false, "none"));
      refused(Errno.EINVAL, () -> receiveUnder(server, Handles.UNSPECIFIED, true, "none"));
      refused(Errno.EINVAL, () -> server.endpoint().inject(Rig.message("x"), red));
    }
  }

  @Test
  @Tag("AV-165")
  void flagWithoutCapability() {
    Hints plain = Rig.tcp("127.0.0.1", Progress.AUTO);
    try (Rig keyed = Rig.holding(plain, RED);
        Rig unkeyed = Rig.reliable(hints())) {
      refused(Errno.EBADFLAGS, () -> receiveUnder(keyed, keyed.authKeys[0], false, "none"));
      refused(Errno.EBADFLAGS, () -> receiveUnder(unkeyed, 0, false, "none"));
    }
    try (Rig exact =
        Rig.holding(hints().withMoreCapabilities(Capability.EXACT_DIRECTED_RECEIVE), RED)) {
      refused(Errno.EINVAL, () -> receiveUnder(exact, exact.authKeys[0], false, "none"));
    }
  }

  @Test
  @DisplayName("An address without key is not sent to, nor received from")
  void addressWithoutKey() {
    try (Rig server = Rig.holding(hints(), RED);
        Rig client = Rig.holding(hints(), RED)) {
      long open = client.vector.insert(server.name());
      refused(Errno.ENOKEY, () -> client.endpoint().inject(Rig.message("x"), open));
      refused(Errno.ENOKEY, () -> receive(client, open, false, "none"));
    }
  }

  private static Rig reporting(VectorOptions options, byte[]... keys) {
    Hints hints = hints().withMoreCapabilities(Capability.SOURCE_ERR, Capability.AV_USER_ID);
    return Rig.holding(hints, options, Rig.PATIENCE, keys);
  }

  private static void unknown(Completion ended, long source) {
    assertThat(ended)
        .isInstanceOfSatisfying(
            Completion.Failure.class,
            failure -> {
              assertThat(failure.errno()).isEqualTo(Errno.EADDRNOTAVAIL);
              assertThat(failure.source()).isEqualTo(source);
            });
  }

  @Test
  @Tag("AV-169")
  @Tag("AV-186")
  @DisplayName("An unknown sender is reported with the handle of its key")
  void sourceErrors() throws Exception {
    try (Rig server = reporting(VectorOptions.table(), RED, BLUE);
        Rig client = Rig.holding(hints(), RED, BLUE)) {
      long red = client.insertUnder(client.authKeys[0], server.name());
      long blue = client.insertUnder(client.authKeys[1], server.name());
      receive(server, Handles.UNSPECIFIED, false, "x");
      send(client, blue, false, "b");
      unknown(server.next(client), server.authKeys[1]);
      // Under another key it is another one.
      server.insertUnder(server.authKeys[1], client.name());
      receive(server, Handles.UNSPECIFIED, false, "x");
      send(client, red, false, "r");
      unknown(server.next(client), server.authKeys[0]);
    }
  }

  @Test
  @Tag("AV-168")
  @DisplayName("With user ids an unknown sender is reported with the user id of its key")
  void sourceErrorsWithUserIds() throws Exception {
    VectorOptions ids = VectorOptions.table().withFlags(VectorFlag.USER_ID);
    try (Rig server = reporting(ids, RED);
        Rig client = Rig.holding(hints(), RED)) {
      long red = client.insertUnder(client.authKeys[0], server.name());
      receive(server, Handles.UNSPECIFIED, false, "x");
      send(client, red, false, "r");
      unknown(server.next(client), Handles.NOT_AVAILABLE);
      server.vector.setAuthKeyUserId(server.authKeys[0], new UserId(0x1234));
      receive(server, Handles.UNSPECIFIED, false, "x");
      send(client, red, false, "r");
      unknown(server.next(client), 0x1234);
    }
  }

  @Test
  @DisplayName("An address has a user id under each key")
  void userIds() throws Exception {
    VectorOptions ids = VectorOptions.table().withFlags(VectorFlag.USER_ID);
    try (Rig server = reporting(ids, RED, BLUE);
        Rig client = Rig.holding(hints(), RED, BLUE)) {
      server.vector.setUserId(
          server.insertUnder(server.authKeys[0], client.name()), new UserId(100));
      server.vector.setUserId(
          server.insertUnder(server.authKeys[1], client.name()), new UserId(200));
      long red = client.insertUnder(client.authKeys[0], server.name());
      long blue = client.insertUnder(client.authKeys[1], server.name());
      receive(server, Handles.UNSPECIFIED, false, "x");
      send(client, blue, false, "b");
      succeeds(server.next(client), "x", 200);
      receive(server, Handles.UNSPECIFIED, false, "x");
      send(client, red, false, "r");
      succeeds(server.next(client), "x", 100);
    }
  }

  private static Completion read(Rig at, long from, MemoryRegion region, MemorySegment into)
      throws InterruptedException {
    at.endpoint().read(into, from, region.place(), "read");
    return at.next();
  }

  @Test
  @Tag("AV-166")
  @Tag("AV-220")
  @Tag("AV-158")
  @DisplayName("Memory is for those under its keys: the one that was named, or all that there were")
  void regions() throws Exception {
    try (Rig server = Rig.holding(remote(), RED, BLUE);
        Rig client = Rig.holding(remote(), RED, BLUE)) {
      MemorySegment memory = Rig.buffer(8);
      memory.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, 42);
      long red = client.insertUnder(client.authKeys[0], server.name());
      long blue = client.insertUnder(client.authKeys[1], server.name());
      MemorySegment into = Rig.buffer(8);
      try (MemoryRegion forAll =
              server.domain.register(
                  memory, RegisterOptions.of(Access.REMOTE_READ).withAnyAuthKey(server.vector));
          MemoryRegion forRed =
              server.domain.register(
                  memory,
                  RegisterOptions.of(Access.REMOTE_READ, Access.REMOTE_WRITE)
                      .withAuthKey(server.vector, server.authKeys[0]))) {
        for (long handle : new long[] {red, blue}) {
          assertThat(read(client, handle, forAll, into)).isInstanceOf(Completion.Success.class);
        }
        assertThat(read(client, red, forRed, into)).isInstanceOf(Completion.Success.class);
        assertThat(into.get(ValueLayout.JAVA_LONG_UNALIGNED, 0)).isEqualTo(42);
        into.fill((byte) 0);
        // The connection under the other key is closed, and nothing is moved.
        assertThat(read(client, blue, forRed, into)).isInstanceOf(Completion.Failure.class);
        assertThat(into.get(ValueLayout.JAVA_LONG_UNALIGNED, 0)).isZero();
        client
            .endpoint()
            .write(
                new WriteRequest()
                    .memory(into)
                    .destination(blue)
                    .place(forRed.place())
                    .context("write")
                    .completes(CompletionLevel.DELIVERED));
        assertThat(client.next()).isInstanceOf(Completion.Failure.class);
        assertThat(memory.get(ValueLayout.JAVA_LONG_UNALIGNED, 0)).isEqualTo(42);
        // That under the right one has not noticed, and the wrong one may come again.
        assertThat(read(client, red, forRed, into)).isInstanceOf(Completion.Success.class);
        assertThat(read(client, blue, forAll, into)).isInstanceOf(Completion.Success.class);
      }
    }
  }

  @Test
  @Tag("AV-166")
  @Tag("AV-220")
  @DisplayName("Memory for one address under one key is for no other address, key or life of it")
  void regionOfOnePeer() throws Exception {
    try (Rig server = Rig.holding(remote(), RED, BLUE);
        Rig one = Rig.holding(remote(), RED, BLUE);
        Rig other = Rig.holding(remote(), RED)) {
      MemorySegment memory = Rig.buffer(8);
      memory.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, 42);
      long only = server.insertUnder(server.authKeys[0], one.name());
      long red = one.insertUnder(one.authKeys[0], server.name());
      long blue = one.insertUnder(one.authKeys[1], server.name());
      long ofOther = other.insertUnder(other.authKeys[0], server.name());
      MemorySegment into = Rig.buffer(8);
      try (MemoryRegion region = register(server, memory, only)) {
        assertThat(read(other, ofOther, region, into)).isInstanceOf(Completion.Failure.class);
        assertThat(read(one, blue, region, into)).isInstanceOf(Completion.Failure.class);
        assertThat(into.get(ValueLayout.JAVA_LONG_UNALIGNED, 0)).isZero();
        assertThat(read(one, red, region, into)).isInstanceOf(Completion.Success.class);
        assertThat(into.get(ValueLayout.JAVA_LONG_UNALIGNED, 0)).isEqualTo(42);
        refused(Errno.EBUSY, () -> server.vector.removeAuthKey(server.authKeys[0]));
        server.vector.remove(only);
        into.fill((byte) 0);
        assertThat(read(one, red, region, into)).isInstanceOf(Completion.Failure.class);
        // The same address and key under the same index, and still another entry.
        assertThat(server.insertUnder(server.authKeys[0], one.name())).isEqualTo(only);
        assertThat(read(one, red, region, into)).isInstanceOf(Completion.Failure.class);
        assertThat(into.get(ValueLayout.JAVA_LONG_UNALIGNED, 0)).isZero();
      }
    }
  }

  @Test
  @Tag("AV-158")
  @Tag("AV-159")
  @DisplayName("A region does not get keys that are inserted after it was registered")
  void regionCaptured() throws Exception {
    try (Rig server = Rig.holding(remote(), RED)) {
      MemoryRegion region =
          server.domain.register(
              Rig.buffer(8), RegisterOptions.of(Access.REMOTE_READ).withAnyAuthKey(server.vector));
      server.vector.insertAuthKey(BLUE);
      try (ReliableEndpoint second =
              server.domain.openReliableEndpoint(server.vector, server.queue);
          Rig client = Rig.holding(remote(), BLUE, RED)) {
        long blue = client.insertUnder(client.authKeys[0], second.address());
        long red = client.insertUnder(client.authKeys[1], second.address());
        MemorySegment into = Rig.buffer(8);
        assertThat(read(client, blue, region, into)).isInstanceOf(Completion.Failure.class);
        assertThat(read(client, red, region, into)).isInstanceOf(Completion.Success.class);
      }
      region.close();
    }
  }

  @Test
  @Tag("AV-166")
  @Tag("AV-220")
  @DisplayName("Memory is registered with a vector where there are keys, and only there")
  void registering() {
    MemorySegment memory = Rig.buffer(8);
    try (Rig keyed = Rig.holding(remote(), RED);
        Rig plain = Rig.reliable(remote());
        Rig undirected =
            Rig.holding(
                Rig.tcp("127.0.0.1", Progress.AUTO).withMoreCapabilities(Capability.RMA), RED)) {
      refused(Errno.EINVAL, () -> keyed.domain.register(memory, Access.REMOTE_READ));
      refused(
          Errno.EINVAL,
          () ->
              plain.domain.register(
                  memory, RegisterOptions.of(Access.REMOTE_READ).withAnyAuthKey(plain.vector)));
      refused(
          Errno.EINVAL,
          () ->
              keyed.domain.register(
                  memory, RegisterOptions.of(Access.REMOTE_READ).withAnyAuthKey(plain.vector)));
      refused(
          Errno.EINVAL,
          () ->
              undirected.domain.register(
                  memory,
                  RegisterOptions.of(Access.REMOTE_READ)
                      .withAuthKey(undirected.vector, undirected.authKeys[0])));
      undirected
          .domain
          .register(
              memory, RegisterOptions.of(Access.REMOTE_READ).withAnyAuthKey(undirected.vector))
          .close();
      refused(Errno.EINVAL, () -> registerUnderKey(keyed, memory, keyed.authKeys[0] + 1));
      refused(Errno.EINVAL, () -> registerUnderKey(keyed, memory, 0));
      refused(Errno.EINVAL, () -> register(keyed, memory, keyed.authKeys[0]));
      refused(Errno.ENOKEY, () -> register(keyed, memory, keyed.insert(plain)));
      long peer = keyed.insertUnder(keyed.authKeys[0], plain.name());
      refused(Errno.EINVAL, () -> registerUnderKey(keyed, memory, peer));
      refused(Errno.EINVAL, () -> register(undirected, memory, 0));
      register(keyed, memory, peer).close();
      keyed.vector.remove(peer);
      refused(Errno.EINVAL, () -> register(keyed, memory, peer));
      MemoryRegion region = registerUnderKey(keyed, memory, keyed.authKeys[0]);
      keyed.endpoint().close();
      refused(Errno.EBUSY, () -> keyed.vector.removeAuthKey(keyed.authKeys[0]));
      refused(Errno.EBUSY, keyed.vector::close);
      region.close();
      keyed.vector.removeAuthKey(keyed.authKeys[0]);
      refused(
          Errno.EINVAL,
          () ->
              keyed.domain.register(
                  memory, RegisterOptions.of(Access.REMOTE_READ).withAnyAuthKey(keyed.vector)));
    }
  }

  private static MemoryRegion registerUnderKey(Rig at, MemorySegment memory, long key) {
    return at.domain.register(
        memory, RegisterOptions.of(Access.REMOTE_READ).withAuthKey(at.vector, key));
  }

  private static MemoryRegion register(Rig at, MemorySegment memory, long peer) {
    return at.domain.register(
        memory, RegisterOptions.of(Access.REMOTE_READ).withPeer(at.vector, peer));
  }

  @ParameterizedTest
  @MethodSource("kinds")
  @DisplayName("An endpoint talks to itself under each of its keys")
  void selfSends(Hints hints) throws Exception {
    try (Rig rig = Rig.holding(hints, RED, BLUE)) {
      for (long authKey : rig.authKeys) {
        long self = rig.insertUnder(authKey, rig.name());
        receiveUnder(rig, authKey, false, "self");
        send(rig, self, false, "me");
        succeeds(rig.next(), "self", self);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @DisplayName("Both may begin at the same time")
  void simultaneously(boolean automatic) throws Exception {
    Hints hints = Rig.tcp("127.0.0.1", automatic ? Progress.AUTO : Progress.MANUAL);
    for (int round = 0; round < 30; round++) {
      try (Rig one = Rig.holding(hints, RED, BLUE);
          Rig two = Rig.holding(hints, RED, BLUE)) {
        for (int key = 0; key < 2; key++) {
          long toTwo = one.insertUnder(one.authKeys[key], two.name());
          long toOne = two.insertUnder(two.authKeys[key], one.name());
          for (int i = 0; i < 5; i++) {
            receive(one, Handles.UNSPECIFIED, false, i);
            receive(two, Handles.UNSPECIFIED, false, i);
            send(one, toTwo, false, "to two");
            send(two, toOne, false, "to one");
          }
          for (int i = 0; i < 5; i++) {
            succeeds(one.next(two), i, toTwo);
            succeeds(two.next(one), i, toOne);
          }
        }
      }
    }
  }

  @Test
  @DisplayName("A peer that was started again proves itself anew")
  void restart() throws Exception {
    try (Rig server = Rig.holding(hints(), RED)) {
      FabricAddress address = null;
      for (int life = 0; life < 3; life++) {
        String port = address == null ? "0" : portOf(address);
        Hints at =
            Rig.tcp("127.0.0.1", port, Progress.AUTO)
                .withMoreCapabilities(Capability.DIRECTED_RECEIVE);
        try (Rig client = Rig.holding(at, RED)) {
          address = client.name();
          long toServer = client.insertUnder(client.authKeys[0], server.name());
          receive(server, Handles.UNSPECIFIED, false, life);
          send(client, toServer, false, "again");
          assertThat(server.next(client).context()).isEqualTo(life);
          long toClient = server.insertUnder(server.authKeys[0], address);
          receive(client, Handles.UNSPECIFIED, false, "back");
          send(server, toClient, false, "back");
          assertThat(client.next(server).context()).isEqualTo("back");
        }
      }
    }
  }

  private static String portOf(FabricAddress address) {
    String text = address.toText();
    return text.substring(text.lastIndexOf(':') + 1);
  }

  @Test
  @DisplayName("An endpoint without keys is told from one that does not hold the key, either way")
  void withAndWithout() throws Exception {
    try (Rig plain = Rig.reliable(hints(), IMPATIENT);
        Rig keyed = impatient(hints(), RED)) {
      long ofPlain = keyed.insertUnder(keyed.authKeys[0], plain.name());
      keyed.endpoint().send(Rig.message("x"), ofPlain, "sent");
      rejected(keyed.next(plain), "takes none");
      long ofKeyed = plain.insert(keyed);
      plain.endpoint().send(Rig.message("x"), ofKeyed, "sent");
      assertThat(plain.next(keyed))
          .isInstanceOfSatisfying(
              Completion.Failure.class,
              failure -> assertThat(failure.errno()).isEqualTo(Errno.ECONNREFUSED));
      receive(plain, Handles.UNSPECIFIED, false, "never");
      receive(keyed, Handles.UNSPECIFIED, false, "never");
      assertThat(plain.next(BRIEFLY)).isNull();
      assertThat(keyed.next(BRIEFLY)).isNull();
    }
  }

  @Test
  @DisplayName("No text of anything that holds a key has its bytes")
  void texts() {
    byte[] key =
        "QWERTYUIOPASDFGHJKLZXCVBNM123456".getBytes(java.nio.charset.StandardCharsets.US_ASCII);
    try (Rig rig = Rig.holding(remote(), key)) {
      MemoryRegion region =
          rig.domain.register(
              Rig.buffer(8), RegisterOptions.of(Access.REMOTE_READ).withAnyAuthKey(rig.vector));
      @Nullable Object[] all = {rig.endpoint(), rig.vector, rig.domain, region, rig.queue};
      for (Object each : all) {
        assertThat(String.valueOf(each)).doesNotContain("QWERTY").doesNotContain("51574552");
      }
      region.close();
    }
  }
}
