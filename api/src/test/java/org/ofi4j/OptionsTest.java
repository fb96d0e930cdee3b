// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Options never change, and refuse what no endpoint could do. */
class OptionsTest {
  private static void refused(Errno errno, ThrowingCallable call, String words) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            FabricException.class, refused -> assertThat(refused.errno()).isEqualTo(errno))
        .hasMessageContaining(words);
  }

  private static final FabricAddress ADDRESS = FabricAddress.parse("10.1.1.7:5000");
  private static final AddressVector VECTOR = object(AddressVector.class);
  private static final CompletionQueue QUEUE = object(CompletionQueue.class);
  private static final EventQueue EVENTS = object(EventQueue.class);
  private static final Duration TWO_SECONDS = Duration.ofSeconds(2);
  private static final String VECTOR_TEXT = "vector=AddressVector";
  private static final String ADDRESS_TEXT = "address=" + ADDRESS;
  private static final Counter COUNTER = object(Counter.class);

  private static <T> T object(Class<T> type) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) ->
                method.getName().equals("equals") ? proxy == arguments[0] : type.getSimpleName()));
  }

  /** Asserts that a copy has another value, that the original keeps its own, and what both show. */
  private static <T> void assertField(
      T options, UnaryOperator<T> with, Function<T, ?> read, Object value, String text) {
    Object before = read.apply(options);
    T changed = with.apply(options);
    String name = options.getClass().getSimpleName();
    assertThat((Object) read.apply(changed)).isEqualTo(value).isNotEqualTo(before);
    assertThat((Object) read.apply(options)).isEqualTo(before);
    assertThat(changed).hasToString(name + "[" + text + "]");
    assertThat(options).hasToString(name + "[]");
  }

  @Test
  void vectorOptionsSetEachFieldByItself() {
    VectorOptions none = VectorOptions.defaults();
    AddressResolver resolver = object(AddressResolver.class);
    Duration second = Duration.ofSeconds(1);
    Path file = Path.of("file");
    assertField(
        none, it -> it.withType(VectorType.MAP), VectorOptions::type, VectorType.MAP, "type=MAP");
    assertField(
        none,
        it -> it.withReceiveContextBits(3),
        VectorOptions::receiveContextBits,
        3,
        "receiveContextBits=3");
    assertField(none, it -> it.withCount(3), VectorOptions::count, 3L, "count=3");
    assertField(
        none,
        it -> it.withEndpointsPerNode(3),
        VectorOptions::endpointsPerNode,
        3L,
        "endpointsPerNode=3");
    assertField(none, it -> it.withName("n"), VectorOptions::name, "n", "name=n");
    assertField(none, it -> it.withMapAddress(16), VectorOptions::mapAddress, 16L, "mapAddress=16");
    assertField(
        none,
        it -> it.withFlags(VectorFlag.READ, VectorFlag.USER_ID),
        VectorOptions::flags,
        Flag.maskOf(VectorFlag.READ, VectorFlag.USER_ID),
        "flags=READ|USER_ID");
    assertField(
        none,
        it -> it.withFlags(1L << 60),
        VectorOptions::flags,
        1L << 60,
        "flags=0x10" + "0".repeat(14));
    assertField(
        none,
        it -> it.withDuplicates(DuplicatePolicy.SHARE),
        VectorOptions::duplicates,
        DuplicatePolicy.SHARE,
        "duplicates=SHARE");
    assertField(
        none,
        it -> it.withResolver(resolver),
        VectorOptions::resolver,
        resolver,
        "resolver=AddressResolver");
    assertField(
        none,
        it -> it.withResolutionTimeout(second),
        VectorOptions::resolutionTimeout,
        second,
        "resolutionTimeout=PT1S");
    assertField(
        none,
        it -> it.withLockTimeout(second),
        VectorOptions::lockTimeout,
        second,
        "lockTimeout=PT1S");
    assertField(none, it -> it.withSaved(file), VectorOptions::saved, file, "saved=file");
    assertField(none, it -> it.withContext("c"), VectorOptions::context, "c", "context=c");
  }

  @Test
  void setOptionsSetEachFieldByItself() {
    VectorSetOptions none = VectorSetOptions.empty();
    assertField(none, it -> it.withCount(3), VectorSetOptions::count, 3, "count=3");
    assertField(
        none,
        it -> it.withFlags(VectorSetFlag.UNIVERSE),
        VectorSetOptions::flags,
        VectorSetFlag.UNIVERSE.mask(),
        "flags=UNIVERSE");
    assertField(none, it -> it.withContext("c"), VectorSetOptions::context, "c", "context=c");
    VectorSetOptions range = VectorSetOptions.range(2, 8).withStride(3);
    assertThat(List.of(range.start(), range.end(), range.stride())).containsExactly(2L, 8L, 3L);
    assertThat(range).hasToString("VectorSetOptions[start=2, end=8, stride=3]");
  }

  @Test
  void endpointOptionsSetEachFieldByItself() {
    EndpointOptions none = EndpointOptions.none();
    SharedReceiveContext shared = object(SharedReceiveContext.class);
    ConnectionOptions connections = ConnectionOptions.defaults().withPeerTimeout(TWO_SECONDS);
    QueueBinding all = new QueueBinding(QUEUE, false);
    QueueBinding some = new QueueBinding(QUEUE, true);
    assertField(none, it -> it.withVector(VECTOR), EndpointOptions::vector, VECTOR, VECTOR_TEXT);
    assertField(
        none, it -> it.withTransmitQueue(QUEUE), EndpointOptions::transmit, all, "transmit=" + all);
    assertField(
        none,
        it -> it.withSelectiveTransmitQueue(QUEUE),
        EndpointOptions::transmit,
        some,
        "transmit=" + some);
    assertField(
        none, it -> it.withReceiveQueue(QUEUE), EndpointOptions::receive, all, "receive=" + all);
    assertField(
        none,
        it -> it.withSelectiveReceiveQueue(QUEUE),
        EndpointOptions::receive,
        some,
        "receive=" + some);
    assertThat(none.withQueue(QUEUE))
        .hasToString("EndpointOptions[transmit=%s, receive=%s]".formatted(all, all));
    assertField(
        none, it -> it.withEvents(EVENTS), EndpointOptions::events, EVENTS, "events=EventQueue");
    assertField(
        none,
        it -> it.withSharedReceives(shared),
        EndpointOptions::sharedReceives,
        shared,
        "sharedReceives=SharedReceiveContext");
    assertField(
        none, it -> it.withAddress(ADDRESS), EndpointOptions::address, ADDRESS, ADDRESS_TEXT);
    assertField(
        none,
        it -> it.withConnections(connections),
        EndpointOptions::connections,
        connections,
        "connections=ConnectionOptions[peerTimeout=PT2S]");
    assertField(
        none,
        it -> it.withMinMultiReceive(9),
        EndpointOptions::minMultiReceive,
        9L,
        "minMultiReceive=9");
    assertField(none, it -> it.withContext("c"), EndpointOptions::context, "c", "context=c");
  }

  @Test
  void countersAreReplacedOrAdded() {
    CounterBinding sends = new CounterBinding(COUNTER, CounterFlag.SEND.mask());
    CounterBinding others =
        new CounterBinding(COUNTER, Flag.maskOf(CounterFlag.RECEIVE, CounterFlag.READ));
    EndpointOptions one = EndpointOptions.none().withMoreCounters(COUNTER, CounterFlag.SEND);
    EndpointOptions two = one.withMoreCounters(COUNTER, CounterFlag.RECEIVE, CounterFlag.READ);
    assertThat(one.counters()).containsExactly(sends);
    assertThat(two.counters()).containsExactly(sends, others);
    assertThat(two.withCounters(COUNTER, CounterFlag.SEND).counters()).containsExactly(sends);
    refused(Errno.EBADFLAGS, () -> one.withCounters(COUNTER), "give what it counts");

    ContextOptions first = ContextOptions.none().withCounters(COUNTER, CounterFlag.SEND);
    ContextOptions both = first.withMoreCounters(COUNTER, CounterFlag.RECEIVE, CounterFlag.READ);
    assertThat(first.counters()).containsExactly(sends);
    assertThat(both.counters()).containsExactly(sends, others);
    assertThat(both.withCounters(COUNTER, CounterFlag.SEND).counters()).containsExactly(sends);
    refused(Errno.EBADFLAGS, () -> first.withMoreCounters(COUNTER), "give what it counts");
  }

  @Test
  void contextOptionsSetEachFieldByItself() {
    ContextOptions none = ContextOptions.none();
    QueueBinding all = new QueueBinding(QUEUE, false);
    QueueBinding some = new QueueBinding(QUEUE, true);
    assertField(none, it -> it.withQueue(QUEUE), ContextOptions::queue, all, "queue=" + all);
    assertField(
        none, it -> it.withSelectiveQueue(QUEUE), ContextOptions::queue, some, "queue=" + some);
    assertField(
        none,
        it -> it.withCapabilities(Capability.TAGGED),
        ContextOptions::capabilities,
        Capability.TAGGED.mask(),
        "capabilities=TAGGED");
    assertField(none, it -> it.withSize(3), ContextOptions::size, 3, "size=3");
    assertField(
        none,
        it -> it.withMinMultiReceive(9),
        ContextOptions::minMultiReceive,
        9L,
        "minMultiReceive=9");
    assertField(none, it -> it.withContext("c"), ContextOptions::context, "c", "context=c");
    assertThat(ContextOptions.ofSelective(QUEUE).queue()).isEqualTo(some);
  }

  @Test
  void scalableOptionsSetEachFieldByItself() {
    ScalableOptions none = ScalableOptions.none();
    ConnectionOptions connections = ConnectionOptions.defaults().withPeerTimeout(TWO_SECONDS);
    assertField(none, it -> it.withVector(VECTOR), ScalableOptions::vector, VECTOR, VECTOR_TEXT);
    assertField(
        none, it -> it.withAddress(ADDRESS), ScalableOptions::address, ADDRESS, ADDRESS_TEXT);
    assertField(
        none,
        it -> it.withConnections(connections),
        ScalableOptions::connections,
        connections,
        "connections=ConnectionOptions[peerTimeout=PT2S]");
    assertField(none, it -> it.withContext("c"), ScalableOptions::context, "c", "context=c");
  }

  @Test
  void passiveOptionsSetEachFieldByItself() {
    PassiveOptions none = PassiveOptions.none();
    assertField(
        none, it -> it.withEvents(EVENTS), PassiveOptions::events, EVENTS, "events=EventQueue");
    assertField(
        none, it -> it.withAddress(ADDRESS), PassiveOptions::address, ADDRESS, ADDRESS_TEXT);
    assertField(none, it -> it.withBacklog(5), PassiveOptions::backlog, 5, "backlog=5");
    assertField(
        none,
        it -> it.withAnswerTimeout(TWO_SECONDS),
        PassiveOptions::answerTimeout,
        TWO_SECONDS,
        "answerTimeout=PT2S");
    assertField(none, it -> it.withContext("c"), PassiveOptions::context, "c", "context=c");
  }

  @Test
  void connectionOptionsSetEachFieldByItself() {
    ConnectionOptions none = ConnectionOptions.defaults();
    EarlyMessages early = EarlyMessages.defaults().withInAll(4096);
    assertField(
        none,
        it -> it.withConnectTimeout(TWO_SECONDS),
        ConnectionOptions::connectTimeout,
        TWO_SECONDS,
        "connectTimeout=PT2S");
    assertField(
        none,
        it -> it.withPeerTimeout(TWO_SECONDS),
        ConnectionOptions::peerTimeout,
        TWO_SECONDS,
        "peerTimeout=PT2S");
    assertField(
        none,
        it -> it.withIdleTimeout(TWO_SECONDS),
        ConnectionOptions::idleTimeout,
        TWO_SECONDS,
        "idleTimeout=PT2S");
    assertThat(none.withIdleTimeout(TWO_SECONDS).withIdleTimeout(null).idleTimeout()).isNull();
    assertField(
        none,
        it -> it.withEarlyMessages(early),
        ConnectionOptions::earlyMessages,
        early,
        "earlyMessages=EarlyMessages[inAll=4096]");
  }

  @Test
  void queueOptionsSetEachFieldByItself() {
    CompletionQueueOptions completions = CompletionQueueOptions.defaults();
    assertField(completions, it -> it.withSize(3), CompletionQueueOptions::size, 3, "size=3");
    assertField(
        completions,
        it -> it.withFormat(CompletionFormat.DATA),
        CompletionQueueOptions::format,
        CompletionFormat.DATA,
        "format=DATA");
    assertField(
        completions, it -> it.withContext("c"), CompletionQueueOptions::context, "c", "context=c");
    EventQueueOptions events = EventQueueOptions.defaults();
    assertField(events, it -> it.withSize(3), EventQueueOptions::size, 3, "size=3");
    assertField(events, it -> it.withContext("c"), EventQueueOptions::context, "c", "context=c");
    SharedReceiveOptions shared = SharedReceiveOptions.none();
    assertField(
        shared,
        it -> it.withMinMultiReceive(9),
        SharedReceiveOptions::minMultiReceive,
        9L,
        "minMultiReceive=9");
    assertField(shared, it -> it.withContext("c"), SharedReceiveOptions::context, "c", "context=c");
  }

  @Test
  void limitsSetEachFieldByItself() {
    Limits none = Limits.none();
    assertField(
        none, it -> it.withMaxMessageSize(3), Limits::maxMessageSize, 3L, "maxMessageSize=3");
    assertField(none, it -> it.withInjectSize(3), Limits::injectSize, 3L, "injectSize=3");
    assertField(none, it -> it.withTransmitSize(3), Limits::transmitSize, 3, "transmitSize=3");
    assertField(none, it -> it.withReceiveSize(3), Limits::receiveSize, 3, "receiveSize=3");
    assertField(
        AuthKeyHints.none(),
        it -> it.withMaxEndpointKeys(3),
        AuthKeyHints::maxEndpointKeys,
        3,
        "maxEndpointKeys=3");
  }

  @Test
  void insertOptionsKeepTheFlagOfTheirInput() {
    InsertOptions none = InsertOptions.none();
    assertField(
        none,
        it -> it.withFlags(InsertFlag.SYNC_ERR),
        InsertOptions::flags,
        InsertFlag.SYNC_ERR.mask(),
        "flags=SYNC_ERR");
    assertThat(none.withUserIds(7).withFlags(InsertFlag.MORE).flags())
        .isEqualTo(Flag.maskOf(InsertFlag.MORE, InsertFlag.USER_ID));
    assertThat(InsertOptions.of(InsertFlag.MORE).withFlags(InsertFlag.SYNC_ERR).flags())
        .isEqualTo(InsertFlag.SYNC_ERR.mask());
    InsertOptions raw = InsertOptions.of(1L << 3, new long[] {5});
    assertThat(raw.flags()).isEqualTo(1L << 3);
    assertThat(raw.input()).containsExactly(5);
    assertThat(InsertOptions.of(0, null)).isEqualTo(none);
  }

  @Test
  void optionsAreEqualByContent() {
    VectorOptions options = VectorOptions.table().withCount(3);
    VectorOptions same = VectorOptions.defaults().withCount(3).withType(VectorType.TABLE);
    assertThat(options).isEqualTo(same).hasSameHashCodeAs(same);
    assertThat(options).isNotEqualTo(same.withCount(4)).isNotEqualTo("VectorOptions");
    Limits limits = Limits.none().withReceiveSize(3);
    assertThat(limits).isEqualTo(Limits.none().withReceiveSize(3)).isNotEqualTo(Limits.none());
    assertThat(limits).hasSameHashCodeAs(Limits.none().withReceiveSize(3));
    EarlyMessages early = EarlyMessages.defaults().withInAll(4096);
    assertThat(early).isEqualTo(early.withInAll(4096)).isNotEqualTo(EarlyMessages.defaults());
    assertThat(early).hasSameHashCodeAs(early.withInAll(4096));
  }

  @Test
  @DisplayName("A copy replaces one thing and leaves the rest, and what it was made of")
  void copies() {
    EndpointOptions none = EndpointOptions.none();
    EndpointOptions some = none.withAddress(ADDRESS).withMinMultiReceive(64).withContext("context");
    assertThat(none.address()).isNull();
    assertThat(some.address()).isEqualTo(ADDRESS);
    assertThat(some.minMultiReceive()).isEqualTo(64);
    assertThat(some.withMinMultiReceive(0))
        .hasToString("EndpointOptions[" + ADDRESS_TEXT + ", context=context]");
    assertThat(ScalableOptions.none().withAddress(ADDRESS).address()).isEqualTo(ADDRESS);
    assertThat(PassiveOptions.none().withBacklog(5).withAddress(ADDRESS).backlog()).isEqualTo(5);
    assertThat(ContextOptions.none().withSize(3).withCapabilities(Capability.MSG).size())
        .isEqualTo(3);
    assertThat(
            SharedReceiveOptions.none().withMinMultiReceive(9).withContext("c").minMultiReceive())
        .isEqualTo(9);
  }

  @Test
  @DisplayName("Times of connections have least values")
  void times() {
    ConnectionOptions defaults = ConnectionOptions.defaults();
    refused(Errno.EINVAL, () -> defaults.withConnectTimeout(Duration.ZERO), "connectTimeout PT0S");
    refused(
        Errno.EINVAL, () -> defaults.withPeerTimeout(Duration.ofMillis(999)), "a second or more");
    refused(Errno.EINVAL, () -> defaults.withIdleTimeout(Duration.ofNanos(1)), "a millisecond");
    refused(Errno.EINVAL, () -> defaults.withEarlyMessages(null), "earlyMessages is null");
    assertThat(defaults.withIdleTimeout(Duration.ofSeconds(1)).peerTimeout())
        .isEqualTo(defaults.peerTimeout());
  }

  @Test
  @DisplayName("Numbers and flags that say nothing are refused in words")
  void numbers() {
    refused(Errno.EINVAL, () -> PassiveOptions.none().withBacklog(0), "backlog 0");
    refused(Errno.EINVAL, () -> PassiveOptions.none().withBacklog(65_537), "1 to 65536");
    refused(
        Errno.EINVAL,
        () -> PassiveOptions.none().withAnswerTimeout(Duration.ZERO),
        "answerTimeout PT0S");
    refused(Errno.EINVAL, () -> EndpointOptions.none().withMinMultiReceive(-1), "minMultiReceive");
    refused(Errno.EINVAL, () -> ContextOptions.none().withMinMultiReceive(-1), "minMultiReceive");
    refused(Errno.EINVAL, () -> SharedReceiveOptions.none().withMinMultiReceive(-1), "bytes");
    refused(Errno.EINVAL, () -> new QueueBinding(null, false), "queue is null");
    refused(Errno.EINVAL, () -> new CounterBinding(null, 1 << 8), "counter is null");
    refused(Errno.EINVAL, () -> EndpointOptions.none().withVector(null), "vector is null");
  }

  @Test
  @DisplayName("Memory is for anybody, for those under keys of a vector, or for one of them")
  void registering() {
    RegisterOptions options = RegisterOptions.of(Access.REMOTE_READ, Access.REMOTE_WRITE);
    assertThat(options.access()).isEqualTo(Access.REMOTE_READ.mask() | Access.REMOTE_WRITE.mask());
    assertThat(options.key()).isEmpty();
    assertThat(options.vector()).isNull();
    assertThat(options.withKey(0).key()).hasValue(0);
    refused(Errno.EINVAL, () -> options.withAuthKey(null, 1), "vector is null");
    RegisterOptions peer = options.withPeer(VECTOR, 5).withLastingMemory().withContext("c");
    assertThat(peer)
        .hasToString(
            "RegisterOptions[access=REMOTE_READ|REMOTE_WRITE, vector=AddressVector, reachedBy=PEER,"
                + " source=5, lasting=true, context=c]");
    assertThat(peer.key()).isEqualTo(OptionalLong.empty());
    assertThat(peer.vector()).isSameAs(VECTOR);
    assertThat(peer.reachedBy()).isEqualTo(RegisterOptions.ReachedBy.PEER);
    assertThat(peer.source()).isEqualTo(5);
    assertThat(peer.lasting()).isTrue();
    assertThat(peer.context()).isEqualTo("c");
    RegisterOptions any = peer.withAnyAuthKey(VECTOR);
    assertThat(any.reachedBy()).isEqualTo(RegisterOptions.ReachedBy.ANY);
    assertThat(any.source()).isEqualTo(Handles.UNSPECIFIED);
  }
}
