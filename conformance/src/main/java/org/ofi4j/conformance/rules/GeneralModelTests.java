// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.ofi4j.AddressFormat;
import org.ofi4j.AddressVector;
import org.ofi4j.ApiVersion;
import org.ofi4j.EndpointType;
import org.ofi4j.Errno;
import org.ofi4j.Event;
import org.ofi4j.EventQueue;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricInfo;
import org.ofi4j.FabricObject;
import org.ofi4j.Handles;
import org.ofi4j.InsertOptions;
import org.ofi4j.Profile;
import org.ofi4j.UserId;
import org.ofi4j.VectorFlag;
import org.ofi4j.VectorOptions;
import org.ofi4j.VectorType;
import org.ofi4j.conformance.harness.AddressTests;
import org.ofi4j.conformance.harness.Addresses;
import org.ofi4j.conformance.harness.AsyncVector;
import org.ofi4j.conformance.harness.ConformanceEnvironment;
import org.ofi4j.conformance.harness.ConformanceTest;
import org.ofi4j.conformance.harness.EachProfile;
import org.ofi4j.conformance.harness.Expect;
import org.ofi4j.conformance.harness.Gate;
import org.ofi4j.conformance.harness.InsertForm;
import org.ofi4j.conformance.harness.Inserted;
import org.ofi4j.conformance.harness.Peer;
import org.ofi4j.conformance.harness.Proves;
import org.ofi4j.conformance.harness.Setup;
import org.ofi4j.conformance.harness.Variant;
import org.ofi4j.conformance.harness.Variants;
import org.ofi4j.historic.HistoricVector;

/** GEN: what the page says before it comes to the calls. */
@ConformanceTest
class GeneralModelTests extends AddressTests {
  @Proves("AV-001")
  @Test
  void allCallsExist() {
    Set<String> calls =
        Stream.of(AddressVector.class, HistoricVector.class, Handles.class)
            .flatMap(type -> Arrays.stream(type.getMethods()))
            .map(Method::getName)
            .collect(Collectors.toCollection(TreeSet::new));

    assertThat(calls)
        .contains(
            "close",
            "bind",
            "insert",
            "insertService",
            "insertSymmetric",
            "remove",
            "lookup",
            "toText",
            "insertAuthKey",
            "lookupAuthKey",
            "setUserId",
            "atReceiveContext",
            "inGroup");
    assertThat(AddressVector.class).isAssignableTo(FabricObject.class);
  }

  @Proves("AV-001")
  @EachProfile
  void callsNewerThanTheVersionAreNotImplemented(Setup setup, ConformanceEnvironment environment) {
    AddressVector vector = environment.vector(setup);
    vector.insert(a(1));
    byte[] buffer = new byte[16];
    Errno keys = setup.isAtLeast(ApiVersion.V1_20) ? Errno.EINVAL : Errno.ENOSYS;

    Expect.failure(keys, () -> vector.insertAuthKey(new byte[16]));
    Expect.failure(keys, () -> vector.setUserId(0, new UserId(7)));
    if (!setup.isAtLeast(ApiVersion.V1_20)) {
      Expect.failure(
          Errno.ENOSYS,
          () -> vector.lookupAuthKey(0, java.lang.foreign.MemorySegment.ofArray(buffer)));
    }
    Expect.address(vector, 0, a(1));
  }

  @Proves("AV-002")
  @Test
  void onePackageDeclaresAllThatVectorsNeed() {
    Set<Class<?>> named = new java.util.LinkedHashSet<>();
    for (Class<?> type : List.of(AddressVector.class, VectorOptions.class, Handles.class)) {
      for (Method method : type.getMethods()) {
        named.add(method.getReturnType());
        named.addAll(Arrays.asList(method.getParameterTypes()));
      }
    }

    assertThat(named)
        .filteredOn(type -> !type.isPrimitive() && !type.isArray())
        .filteredOn(type -> !type.getPackageName().startsWith("java."))
        .allSatisfy(type ->
            assertThat(type.getPackageName())
                .as(type.getName())
                .isEqualTo(AddressVector.class.getPackageName()));
  }

  @Proves("AV-003")
  @Variants
  void addressBecomesHandle(Variant variant, ConformanceEnvironment environment) {
    AddressVector vector = variant.open(environment);

    Inserted inserted = variant.insert(vector, variant.a(1));

    assertThat(inserted.result()).isEqualTo(1);
    assertThat(inserted.fi(0)).isNotEqualTo(Handles.NOT_AVAILABLE);
    Expect.address(vector, inserted.fi(0), variant.a(1));
  }

  @Proves("AV-003")
  @ParameterizedTest
  @EnumSource(names = {"TABLE", "MAP"})
  void handleReachesTheEndpointOfThatName(VectorType type, ConformanceEnvironment environment) {
    AddressVector vector =
        environment.vector(Setup.DEFAULT, VectorOptions.defaults().withType(type));
    Peer here = environment.peer(vector);
    Peer there = environment.peer(vector);

    here.exchange(vector.insert(there.name()), there);
  }

  @Proves("AV-004")
  @ParameterizedTest
  @EnumSource(names = {"SOCKADDR_IN", "SOCKADDR_IN6", "SOCKADDR", "STR"})
  void formatSaysNothingAboutTransport(AddressFormat format, ConformanceEnvironment environment) {
    environment.info(Setup.DEFAULT.format(format));
    List<String> answers = new ArrayList<>();
    for (FabricInfo info : environment.answer(Setup.DEFAULT.format(format).hints()).offers()) {
      if (info.addressFormat() != format) {
        continue; // a provider with one address family may offer that for both
      }
      AddressVector vector = environment.vector(environment.domain(info), VectorOptions.table());
      long[] fi =
          vector.insert(Addresses.list(format, 1, 3), InsertOptions.none()).orThrow().handles();
      Expect.entries(vector, fi, Addresses.list(format, 1, 3));
      FabricAddress first = Addresses.a(format, 1);
      answers.add(Arrays.toString(fi) + vector.toText(Addresses.pack(format, List.of(first))));
    }

    String text =
        format == AddressFormat.SOCKADDR_IN6
            ? "fi_sockaddr_in6://[2001:db8::1:1]:5000"
            : "fi_sockaddr_in://10.1.1.1:5000";
    assertThat(new TreeSet<>(answers))
        .as("answers, whatever the transport")
        .containsExactly("[0, 1, 2]" + text);
  }

  /** Datagrams and connections have names of one format, and a name leads to its endpoint. */
  @Proves("AV-004")
  @ParameterizedTest
  @EnumSource(names = {"SOCKADDR_IN", "SOCKADDR_IN6", "SOCKADDR", "STR"})
  void namesOfEachTransportHaveTheFormat(AddressFormat format, ConformanceEnvironment environment) {
    Setup setup = Setup.DEFAULT.format(format);
    environment.info(setup);
    for (EndpointType type : List.of(EndpointType.DGRAM, EndpointType.RDM)) {
      Setup typed = setup.endpointType(type);
      if (environment.answer(typed.hints()).offers().isEmpty()) {
        continue;
      }
      Peer here = environment.peer(environment.vector(typed));
      Peer there = environment.neighbour(here);
      AddressVector vector = here.vector();
      FabricAddress name = there.name();

      long handle = vector.insert(name);

      assertThat(handle).isZero();
      Expect.address(vector, handle, name);
      assertThat(vector.find(name)).isEqualTo(handle);
      String text = Expect.present(vector.toText(Addresses.pack(format, List.of(name))));
      assertThat(vector.insertService(text, null)).as("by its text").isEqualTo(handle);
      here.exchange(handle, there);
    }
  }

  @Proves("AV-005")
  @Variants
  void handlesAreUnsignedNumbers(Variant variant, ConformanceEnvironment environment) {
    AddressVector vector = variant.open(environment);

    long[] fi = variant.insert(vector, variant.list(1, 20)).fi();

    assertThat(Handles.NOT_AVAILABLE).isEqualTo(-1L).isEqualTo(Handles.UNSPECIFIED);
    assertThat(Long.toUnsignedString(Handles.NOT_AVAILABLE)).isEqualTo("18446744073709551615");
    assertThat(fi).doesNotHaveDuplicates().doesNotContain(Handles.NOT_AVAILABLE);
    if (variant.type() == VectorType.TABLE) {
      assertThat(LongStream.of(fi)).as("far below 2^63").allMatch(handle -> handle >= 0);
    }
    Expect.entries(vector, fi, variant.list(1, 20));
  }

  @Proves("AV-006")
  @Test
  void resolutionHoldsUpNobodyElse(ConformanceEnvironment environment) throws Exception {
    Gate gate = environment.gate();
    AddressVector vector =
        environment.vector(Setup.DEFAULT, VectorOptions.table().withResolver(gate));
    vector.insert(a(1));
    CompletableFuture<Long> resolved =
        CompletableFuture.supplyAsync(
            () -> vector.insertService("host7", "80"), Thread::startVirtualThread);
    gate.awaitQuestion();

    // All of this happens while the resolver is silent; a lock held would stop it for ever.
    Expect.address(vector, 0, a(1));
    assertThat(vector.find(a(1))).isZero();
    long other = vector.insert(a(2));
    assertThat(other).isEqualTo(1);
    Expect.address(vector, other, a(2));
    vector.remove(other);
    Expect.unset(vector, other);
    assertThat(vector.size()).isEqualTo(1);
    assertThat(resolved).isNotDone();
    gate.open();

    long handle = resolved.get(environment.patience().toMillis(), TimeUnit.MILLISECONDS);
    assertThat(handle).isEqualTo(other);
    Expect.address(vector, handle, ipv4(0x0a09_0007, 80));
    assertThat(vector.find(ipv4(0x0a09_0007, 80))).isEqualTo(handle);
  }

  @Proves("AV-007")
  @Variants
  void insertIsFinishedWhenItReturns(Variant variant, ConformanceEnvironment environment) {
    AddressVector vector = variant.open(environment);
    EventQueue queue = environment.eventQueue(vector);

    Inserted inserted = variant.insert(vector, variant.a(1), variant.a(2));

    assertThat(inserted.result()).isEqualTo(2);
    Expect.entries(vector, inserted.fi(), variant.list(1, 2));
    assertThat(vector.size()).isEqualTo(2);
    assertThat(queue.read()).as("event of a synchronous vector").isNull();
    assertThat(queue.readError()).isNull();
  }

  @Proves("AV-008")
  @Variants(forms = {InsertForm.PACKED, InsertForm.COLLECTION})
  void eventFlagMakesInsertsAsynchronous(Variant variant, ConformanceEnvironment environment) {
    AsyncVector async = variant.openAsync(environment);

    Inserted first = variant.form().insert(async.vector(), variant.list(1, 2), "first");
    assertThat(async.events().untilCompletion())
        .singleElement()
        .isInstanceOf(Event.InsertionComplete.class)
        .returns(2L, Event::data);
    Inserted second = variant.form().insert(async.vector(), variant.list(3, 3), "second");
    assertThat(async.events().untilCompletion()).singleElement().returns(1L, Event::data);

    int started = variant.setup().effectiveProfile() == Profile.CANDIDATE_1_0 ? 2 : 0;
    assertThat(first.result()).as("result of an asynchronous call").isEqualTo(started);
    Expect.entries(async.vector(), first.fi(), variant.list(1, 2));
    Expect.entries(async.vector(), second.fi(), variant.list(3, 3));
  }

  @Proves("AV-008")
  @EachProfile
  void asynchronousVectorNeedsQueue(Setup setup, ConformanceEnvironment environment)
      throws ReflectiveOperationException {
    AddressVector vector = environment.unboundVector(environment.domain(setup));

    Expect.failure(Errno.ENOEQ, () -> vector.insert(a(1)));

    assertThat(VectorFlag.class.getField("EVENT").isAnnotationPresent(Deprecated.class))
        .as("discouraged from 2.0 on")
        .isTrue();
  }

  @Proves("AV-009")
  @EachProfile
  void contextsComeBack(Setup setup, ConformanceEnvironment environment) {
    Object ofVector = new Object();
    Object ofInsert = new Object();
    AsyncVector async = environment.asyncVector(setup, VectorOptions.table().withContext(ofVector));

    assertThat(async.vector().context()).isSameAs(ofVector);
    InsertForm.PACKED.insert(async.vector(), List.of(a(1), bad()), ofInsert);

    assertThat(async.events().untilCompletion())
        .hasSize(2)
        .allSatisfy(event -> assertThat(event.context()).isSameAs(ofInsert));
    assertThat(environment.vector(setup).context()).isNull();
  }
}
