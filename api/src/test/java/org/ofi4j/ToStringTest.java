// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.lang.reflect.RecordComponent;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;

/**
 * The text of every public type says something: it is not that of {@link Object}, and shows no
 * array or memory as one. {@link SecretsTest} says which types hold a secret, and tests them.
 */
class ToStringTest {
  private static final RemotePlace PLACE = new RemotePlace(16, 64, 0x5a6b_7c8dL);
  private static final MemorySegment MEMORY = MemorySegment.ofArray(new byte[64]);

  private static final FabricObject SOURCE = (FabricObject) value(FabricObject.class);
  private static final byte[] DATA = {1, -1};
  private static final FabricInfo INFO =
      FabricInfo.builder(ApiVersion.LATEST, Profile.RELEASE_2_0)
          .destination(FabricAddress.parse("10.1.2.3:4"))
          .build();

  /** Objects of the classes that are no records, or records that take few values. */
  private static final Map<Class<?>, Object> SAMPLES =
      Stream.of(
              InsertionFailure.of(3, "10.1.2.3:4", Errno.EINVAL, "reason"),
              Event.InsertionComplete.of(SOURCE, "context", 3),
              Event.ConnectionRequest.of(SOURCE, INFO, DATA),
              Event.Connected.of(SOURCE, DATA),
              Event.Shutdown.of(SOURCE),
              Event.PeerLost.of(SOURCE, 3, Errno.ETIMEDOUT, "silence"),
              Event.PeerReturned.of(SOURCE, 3, true),
              new SendRequest().memory(MEMORY).destination(3).data(7).context("context"),
              new TaggedSendRequest().parts(MEMORY, MEMORY).tag(0x70),
              new ReceiveRequest().memory(MEMORY),
              new TaggedReceiveRequest().memory(MEMORY).tag(0x70),
              new ReadRequest().memory(MEMORY).source(3).place(PLACE, 8),
              new WriteRequest().memory(MEMORY).destination(3).places(PLACE, PLACE),
              TransportSecurity.of(context()),
              InsertOptions.none().withUserIds(7, 8),
              AuthKeyHints.none().withDomainKey(new byte[] {1, 2, 3}),
              Hints.latest().withSource("127.0.0.1:0"),
              EarlyMessages.defaults(),
              new CounterBinding((Counter) value(Counter.class), CounterFlag.SEND.mask()),
              VectorOptions.table(),
              VectorSetOptions.empty(),
              Completion.Success.of("context", CompletionFlag.RECEIVE.mask()).length(5),
              Completion.Success.of("context", CompletionFlag.RECEIVE.mask())
                  .length(5)
                  .tag(0x70)
                  .source(3)
                  .build(),
              Completion.Failure.of(Errno.ETRUNC, "too long").overflow(9),
              Completion.Failure.of(Errno.ETRUNC, "too long").overflow(9).build(),
              ConnectionOptions.defaults().withPeerTimeout(Duration.ofSeconds(5)),
              RegisterOptions.of(Access.REMOTE_READ),
              EndpointOptions.none(),
              ContextOptions.none(),
              ScalableOptions.none(),
              PassiveOptions.none(),
              SharedReceiveOptions.none(),
              CompletionQueueOptions.defaults(),
              EventQueueOptions.defaults(),
              Limits.none(),
              new NodeService("node", "service"),
              new FabricAddress.ProviderAddress(AddressFormat.GNI, new byte[] {1, 2}))
          .collect(Collectors.toMap(Object::getClass, Function.identity()));

  static {
    BuildersTest.builders()
        .flatMap(builder -> Stream.of(builder, BuildersTest.call(builder, "build")))
        .forEach(each -> SAMPLES.put(each.getClass(), each));
  }

  /** Classes without objects, and those whose objects need a provider or a file. */
  private static final Set<Class<?>> ELSEWHERE =
      Set.of(
          Fabrics.class,
          Handles.class,
          Printable.class,
          Messenger.class,
          Messenger.Message.class,
          RequestReply.class,
          RequestReply.Request.class,
          PeerList.class);

  private static final Predicate<String> IS_USEFUL =
      text -> !text.matches("(?s).*(@[0-9a-f]{5,}|\\[[BJIL]@).*");

  private static SSLContext context() {
    try {
      return SSLContext.getDefault();
    } catch (NoSuchAlgorithmException impossible) {
      throw new AssertionError(impossible);
    }
  }

  @Test
  void everyPublicTypeHasText() throws Exception {
    List<Class<?>> types =
        SecretsTest.publicClasses().stream()
            .filter(type -> !Modifier.isAbstract(type.getModifiers()))
            .filter(type -> !type.isEnum() && !Throwable.class.isAssignableFrom(type))
            .filter(type -> !ELSEWHERE.contains(type))
            .toList();
    assertThat(types).hasSizeGreaterThan(50).containsAll(SAMPLES.keySet());
    assertThat(types)
        .allSatisfy(type -> {
          Object sample = sample(type);
          assertThat(sample).isInstanceOf(type);
          assertThat(sample.toString()).matches(IS_USEFUL).doesNotContain("5a6b7c8d");
        });
  }

  @Test
  void requestsShowTheirFieldsAndTheLengthOfTheirMemory() {
    assertThat(SAMPLES.get(SendRequest.class))
        .hasToString(
            "SendRequest[destination=0x3, data=0x7, memory=64 bytes, context=context,"
                + " flags=REMOTE_CQ_DATA]");
    assertThat(SAMPLES.get(TaggedSendRequest.class).toString())
        .startsWith("TaggedSendRequest[tag=0x70, destination=unspecified")
        .contains("memory=128 bytes in 2 pieces");
    assertThat(SAMPLES.get(ReadRequest.class).toString())
        .contains("source=0x3, place=RemotePlace[address=16, length=64], offset=8");
  }

  @Test
  void eventsShowDataInHexadecimal() {
    assertThat(SAMPLES.get(Event.Connected.class))
        .hasToString("Connected[source=FabricObject, connectionData=01ff]");
    assertThat(SAMPLES.get(Event.ConnectionRequest.class))
        .hasToString(
            "ConnectionRequest[source=FabricObject, peer=fi_sockaddr_in://10.1.2.3:4,"
                + " connectionData=01ff]");
  }

  @Test
  void objectsOfTheLibraryShowAllTheirValues() {
    assertThat(Event.Shutdown.of(SOURCE)).hasToString("Shutdown[source=FabricObject]");
    assertThat(Event.InsertionComplete.of(SOURCE, "context", 3))
        .hasToString("InsertionComplete[source=FabricObject, context=context, data=3]");
    assertThat(Event.PeerLost.of(SOURCE, 3, Errno.ETIMEDOUT, "silence"))
        .hasToString("PeerLost[source=FabricObject, peer=3, errno=ETIMEDOUT, reason=silence]");
    assertThat(Event.PeerReturned.of(SOURCE, 3, true))
        .hasToString("PeerReturned[source=FabricObject, peer=3, restarted=true]");
    assertThat(Event.Failure.of(SOURCE, Errno.EIO, "why").data(2).errorData(DATA).build())
        .hasToString(
            "Failure[source=FabricObject, context=null, data=2, errno=EIO (5), providerErrno=0,"
                + " reason=why, errorData=01ff]");
    assertThat(QueueStatistics.builder().size(1).waiting(2).reported(3).lost(4).build())
        .hasToString("QueueStatistics[size=1, waiting=2, reported=3, lost=4]");
    assertThat(INFO.toBuilder().capabilities(Capability.MSG.mask()).build().toString())
        .startsWith("FabricInfo[apiVersion=" + ApiVersion.LATEST + ", profile=RELEASE_2_0")
        .contains(
            ", capabilities=MSG, ",
            ", source=null, destination=fi_sockaddr_in://10.1.2.3:4, ",
            "domain=DomainAttributes[name=, vectorType=UNSPECIFIED, capabilities=0, ");
  }

  private static Object sample(Class<?> type) {
    Object sample = SAMPLES.get(type);
    return sample == null ? record(type) : sample;
  }

  /** Returns a record with some value for each component. */
  private static Object record(Class<?> type) {
    assertThat(type.isRecord()).as("%s is made by no sample", type).isTrue();
    Class<?>[] types =
        Arrays.stream(type.getRecordComponents())
            .map(RecordComponent::getType)
            .toArray(Class<?>[]::new);
    Object[] values = Arrays.stream(types).map(ToStringTest::value).toArray();
    try {
      return type.getConstructor(types).newInstance(values);
    } catch (InvocationTargetException refused) {
      throw new AssertionError(type + " needs a sample", refused.getCause());
    } catch (ReflectiveOperationException impossible) {
      throw new AssertionError(type.toString(), impossible);
    }
  }

  private static Object value(Class<?> type) {
    if (type == FabricAddress.class || type == AddressHint.class) {
      return new FabricAddress.SocketAddress4(0x0A01_0107, 5000);
    } else if (type.isEnum()) {
      return type.getEnumConstants()[0];
    } else if (type.getName().startsWith("org.ofi4j.") && type.isInterface()) {
      return Proxy.newProxyInstance(
          type.getClassLoader(),
          new Class<?>[] {type},
          (proxy, method, arguments) -> type.getSimpleName());
    } else if (type.getName().startsWith("org.ofi4j.")) {
      return sample(type);
    }
    Map<Class<?>, Object> values =
        Map.ofEntries(
            Map.entry(int.class, 1),
            Map.entry(long.class, 1L),
            Map.entry(boolean.class, true),
            Map.entry(String.class, "text"),
            Map.entry(byte[].class, new byte[] {1, 2}),
            Map.entry(long[].class, new long[] {1, 2}),
            Map.entry(MemorySegment.class, MEMORY),
            Map.entry(Object.class, "context"),
            Map.entry(Duration.class, Duration.ofSeconds(1)),
            Map.entry(List.class, List.of()),
            Map.entry(Set.class, Set.of()),
            Map.entry(OptionalInt.class, OptionalInt.of(1)),
            Map.entry(OptionalLong.class, OptionalLong.of(1)));
    assertThat(values).containsKey(type);
    return values.get(type);
  }
}
