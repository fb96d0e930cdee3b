// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.ofi4j.AddressVector;
import org.ofi4j.ApiVersion;
import org.ofi4j.Errno;
import org.ofi4j.Event;
import org.ofi4j.Handles;
import org.ofi4j.InsertOptions;
import org.ofi4j.Insertion;
import org.ofi4j.UserId;
import org.ofi4j.VectorOptions;
import org.ofi4j.conformance.harness.AddressTests;
import org.ofi4j.conformance.harness.AsyncVector;
import org.ofi4j.conformance.harness.ConformanceEnvironment;
import org.ofi4j.conformance.harness.ConformanceTest;
import org.ofi4j.conformance.harness.EachProfile;
import org.ofi4j.conformance.harness.EventReader;
import org.ofi4j.conformance.harness.Expect;
import org.ofi4j.conformance.harness.Gate;
import org.ofi4j.conformance.harness.InsertForm;
import org.ofi4j.conformance.harness.Inserted;
import org.ofi4j.conformance.harness.Proves;
import org.ofi4j.conformance.harness.Setup;
import org.ofi4j.conformance.harness.Variant;
import org.ofi4j.conformance.harness.Variants;

/** RET: what calls return, and INS where it is about asynchronous insertion. */
@ConformanceTest
class ReturnTests extends AddressTests {
  @Proves({"AV-201", "AV-202", "AV-207"})
  @Variants
  void theNumberInsertedIsReturned(Variant variant, ConformanceEnvironment environment) {
    AddressVector vector = variant.open(environment);

    Inserted mixed = variant.insert(vector, variant.a(1), variant.bad(), variant.a(2));

    assertThat(mixed.result()).isEqualTo(2);
    assertThat(mixed.fi(1)).isEqualTo(Handles.NOT_AVAILABLE);
    assertThat(variant.insert(vector, variant.bad()).result()).isZero();
    assertThat(variant.insert(vector, variant.bad(), variant.bad()).fi())
        .containsExactly(Handles.NOT_AVAILABLE, Handles.NOT_AVAILABLE);
    assertThat(vector.size()).isEqualTo(2);
  }

  @Proves({"AV-201", "AV-202"})
  @EachProfile
  void servicesAndRangesAreCountedToo(Setup setup, ConformanceEnvironment environment) {
    AddressVector vector = environment.vector(setup);

    assertThat(vector.insertService("10.1.1.1", "5000", InsertOptions.none()).result())
        .isEqualTo(1);
    assertThat(vector.insertService("10.1.1.1", "0", InsertOptions.none()).result()).isZero();
    assertThat(vector.insertSymmetric("10.2.1.1", 2, "65534", 3).result()).isEqualTo(4);
    assertThat(vector.insertSymmetric("10.2.1.1", 2, "5000", 0).result()).isZero();
  }

  /** All editions but the candidate of 1.0, also the final one. */
  static Stream<Setup> afterTheCandidate() {
    return Stream.concat(
        Stream.of(Setup.FINAL_1_0),
        Setup.profiles().stream().filter(setup -> !setup.isAppendOnly()));
  }

  @Proves({"AV-203", "AV-204"})
  @EachProfile
  void asynchronousInsertionReturnsZeroOrTheNumberStarted(
      Setup setup, ConformanceEnvironment environment) {
    AsyncVector async = environment.asyncVector(setup);
    int factor = setup.isAppendOnly() ? 1 : 0;
    AddressVector vector = async.vector();

    assertThat(InsertForm.COLLECTION.insert(vector, List.of(a(1), bad())).result())
        .isEqualTo(2 * factor);
    assertThat(InsertForm.PACKED.insert(vector, List.of(a(2), a(3))).result())
        .isEqualTo(2 * factor);
    assertThat(vector.insertService("10.1.1.4", "5000", InsertOptions.none()).result())
        .isEqualTo(factor);
    assertThat(vector.insertSymmetric("10.1.1.5", 2, "5000", 2).result()).isEqualTo(4 * factor);
    for (int call = 0; call < 4; call++) {
      async.events().untilCompletion();
    }
    assertThat(vector.size()).isEqualTo(8);
  }

  @Proves({"AV-203", "AV-083"})
  @ParameterizedTest
  @MethodSource("afterTheCandidate")
  void indicesAreFilledAgain(Setup setup, ConformanceEnvironment environment) {
    AsyncVector async = environment.asyncVector(setup);

    assertThat(InsertForm.PACKED.insert(async.vector(), List.of(a(1), a(2))).result()).isZero();

    async.events().untilCompletion();
    async.vector().remove(0);
    InsertForm.PACKED.insert(async.vector(), List.of(a(3)));
    async.events().untilCompletion();
    assertThat(async.vector().lookup(0)).as("filled, unlike in the candidate").isEqualTo(a(3));
  }

  @Proves("AV-205")
  @EachProfile
  void aCallThatCannotStartFailsAtOnce(Setup setup, ConformanceEnvironment environment) {
    for (InsertCall call : InsertCall.values()) {
      AddressVector vector = environment.unboundVector(environment.domain(setup));

      Expect.failure(Errno.ENOEQ, () -> call.insert(vector, 0, null));

      assertThat(vector.size()).isZero();
      EventReader events = environment.bind(vector);
      Expect.failure(Errno.EBADFLAGS, () -> call.insert(vector, 1L << 3, null));
      events.expectSilence();
      call.insert(vector, 0, null);
      events.untilCompletion();
      assertThat(vector.lookup(0)).as("no index was spent").isEqualTo(a(1));
    }
  }

  @Proves({"AV-206", "AV-207", "AV-102"})
  @Test
  void whatCloseAbortsIsCancelled(ConformanceEnvironment environment) {
    Gate gate = environment.gate();
    AsyncVector async =
        environment.asyncVector(Setup.DEFAULT, VectorOptions.table().withResolver(gate));
    Object first = "first";
    Insertion stuck =
        async.vector().insertService("host1", "5000", InsertOptions.none().withContext(first));
    gate.awaitQuestion();

    async.vector().close();

    List<Event> events = async.events().untilCompletion();
    assertThat(events).hasSize(2);
    assertThat(events.getFirst())
        .isInstanceOfSatisfying(
            Event.Failure.class,
            failure -> {
              assertThat(failure.errno()).isEqualTo(Errno.ECANCELED);
              assertThat(failure.context()).isSameAs(first);
            });
    assertThat(events.getLast().data()).isZero();
    assertThat(stuck.handle(0)).isEqualTo(Handles.NOT_AVAILABLE);
    assertThat(stuck.error(0)).isEqualTo(Errno.ECANCELED.number());
  }

  @Proves("AV-208")
  @EachProfile
  void otherCallsSayWhatIsWrong(Setup setup, ConformanceEnvironment environment) {
    AddressVector vector = environment.vector(setup);
    vector.insert(a(1));

    Expect.invalid(() -> vector.lookup(1));
    Expect.invalid(() -> vector.remove(1));
    Expect.failure(
        setup.isAtLeast(ApiVersion.V1_20) ? Errno.EINVAL : Errno.ENOSYS,
        () -> vector.setUserId(0, new UserId(1)));
    Expect.failure(
        setup.isAtLeast(ApiVersion.V1_20) ? Errno.EINVAL : Errno.ENOSYS,
        () -> vector.insertAuthKey(new byte[8]));
    vector.remove(0);
    vector.close();
    Expect.invalid(() -> vector.lookup(0));
    Expect.invalid(() -> vector.insert(a(1)));
    Expect.invalid(() -> vector.remove(0));
  }

  @Proves("AV-209")
  @ParameterizedTest
  @CsvSource({
    "SUCCESS,0",
    "ENOENT,2",
    "EIO,5",
    "E2BIG,7",
    "EAGAIN,11",
    "ENOMEM,12",
    "EACCES,13",
    "EBUSY,16",
    "EINVAL,22",
    "ENOSPC,28",
    "ENOSYS,38",
    "ENODATA,61",
    "EOVERFLOW,75",
    "EMSGSIZE,90",
    "EOPNOTSUPP,95",
    "EADDRINUSE,98",
    "EADDRNOTAVAIL,99",
    "ETIMEDOUT,110",
    "ECONNREFUSED,111",
    "EHOSTUNREACH,113",
    "EALREADY,114",
    "ECANCELED,125",
    "EOTHER,256",
    "ETOOSMALL,257",
    "EOPBADSTATE,258",
    "EAVAIL,259",
    "EBADFLAGS,260",
    "ENOEQ,261",
    "EDOMAIN,262",
    "ENOCQ,263",
    "ETRUNC,265",
    "ENOKEY,266",
    "ENOAV,267",
    "EOVERRUN,268",
    "EFIREWALLADDR,271"
  })
  void errnosHaveTheirNumbers(Errno errno, int number) {
    assertThat(errno.number()).isEqualTo(number);
    assertThat(errno.text()).isNotBlank();
  }

  @Proves("AV-209")
  @Test
  void errnosHaveTheirTexts() {
    assertThat(Errno.ENOEQ.text()).isEqualTo("Missing or unavailable event queue");
    assertThat(Errno.ENOKEY.text()).isEqualTo("Required key not available");
    assertThat(Errno.ENOAV.text()).isEqualTo("Missing or unavailable address vector");
  }

  @Proves("AV-081")
  @Test
  void handlesAreFinalForWhoeverReadsTheCompletion(ConformanceEnvironment environment) {
    AsyncVector async = environment.asyncVector(Setup.DEFAULT);
    int batches = 300;
    List<long[]> arrays = new ArrayList<>();
    for (int i = 0; i < batches; i++) {
      arrays.add(new long[] {Long.MIN_VALUE, Long.MIN_VALUE, Long.MIN_VALUE});
    }
    CompletableFuture<List<String>> reader =
        CompletableFuture.supplyAsync(
            () -> {
              List<String> wrong = new ArrayList<>();
              for (int done = 0; done < batches; done++) {
                Event completion = async.events().untilCompletion().getLast();
                long[] fi =
                    completion.context() instanceof Integer batch ? arrays.get(batch) : new long[3];
                if (fi[0] < 0 || fi[1] != Handles.NOT_AVAILABLE || fi[2] < 0) {
                  wrong.add(completion + " " + Arrays.toString(fi));
                }
              }
              return wrong;
            },
            Thread::startVirtualThread);
    for (int i = 0; i < batches; i++) {
      MemorySegment packed = pack(a(2 * i + 1), bad(), a(2 * i + 2));
      async.vector().insert(packed, 3, MemorySegment.ofArray(arrays.get(i)), null, 0, (Integer) i);
    }

    assertThat(reader.join()).isEmpty();
    for (int i = 0; i < batches; i++) {
      assertThat(async.vector().lookup(arrays.get(i)[0])).isEqualTo(a(2 * i + 1));
      assertThat(async.vector().lookup(arrays.get(i)[2])).isEqualTo(a(2 * i + 2));
    }
  }

  @Proves({"AV-086", "AV-061"})
  @EachProfile
  void indicesFollowTheOrderOfCalls(Setup setup, ConformanceEnvironment environment) {
    Gate gate = environment.gate();
    AsyncVector async = environment.asyncVector(setup, VectorOptions.table().withResolver(gate));
    AddressVector vector = async.vector();

    Insertion slow =
        vector.insertSymmetric("host1", 2, "5000", 1, InsertOptions.none().withContext("slow"));
    Insertion fast = vector.insert(list(1, 1), InsertOptions.none().withContext("fast"));
    gate.open();
    List<Event> events = async.events().next(2);

    assertThat(events).extracting(Event::context).containsExactlyInAnyOrder("slow", "fast");
    assertThat(slow.handles()).containsExactly(0, 1);
    assertThat(fast.handles()).containsExactly(2);
    assertThat(vector.lookup(1).toText()).isEqualTo("fi_sockaddr_in://10.9.0.2:5000");
    assertThat(vector.lookup(2)).isEqualTo(a(1));
  }
}
