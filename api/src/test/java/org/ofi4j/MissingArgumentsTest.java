// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.lang.reflect.Proxy;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** What callers leave out that is needed (D-05), as callers do that no compiler checks for null. */
@SuppressWarnings({"NullAway", "DataFlowIssue", "UnusedVariable"})
@Tag("AV-010")
class MissingArgumentsTest {
  /** A call, and the name of what it misses. */
  private record Call(String name, Runnable call) {
    @Override
    public String toString() {
      return name;
    }
  }

  private static final Hints HINTS = Hints.latest();

  private static final FabricObject SOURCE =
      (FabricObject)
          Proxy.newProxyInstance(
              FabricObject.class.getClassLoader(),
              new Class<?>[] {FabricObject.class},
              (proxy, method, arguments) -> "FabricObject");

  private static final List<Call> CALLS =
      List.of(
          new Call("version", () -> Hints.of(null)),
          new Call("endpointType", () -> HINTS.withEndpointType(null)),
          new Call("addressFormat", () -> HINTS.withAddressFormat(null)),
          new Call("vectorType", () -> HINTS.withVectorType(null)),
          new Call("threading", () -> HINTS.withThreading(null)),
          new Call("progress", () -> HINTS.withProgress(null)),
          new Call("limits", () -> HINTS.withLimits(null)),
          new Call("authKeys", () -> HINTS.withAuthKeys(null)),
          new Call("flags", () -> HINTS.withCapabilities((Capability[]) null)),
          new Call("element of flags", () -> HINTS.withCapabilities((Capability) null)),
          new Call("flags", () -> HINTS.withMemoryRegionModes((MemoryRegionMode[]) null)),
          new Call("apiVersion", () -> FabricInfo.builder(null, Profile.RELEASE_2_0)),
          new Call("profile", () -> FabricInfo.builder(ApiVersion.LATEST, null)),
          new Call("name", () -> SharedVectorStatus.builder(null)),
          new Call("state", () -> SharedVectorReport.builder("name", null)),
          new Call("source", () -> Event.Shutdown.of(null)),
          new Call("source", () -> Event.InsertionComplete.of(null, null, 0)),
          new Call("info", () -> Event.ConnectionRequest.of(SOURCE, null, new byte[0])),
          new Call("connectionData", () -> Event.Connected.of(SOURCE, null)),
          new Call("errno", () -> Event.PeerLost.of(SOURCE, 0, null, "reason")),
          new Call("reason", () -> Event.PeerLost.of(SOURCE, 0, Errno.EIO, null)),
          new Call("source", () -> Event.PeerReturned.of(null, 0, true)),
          new Call("errno", () -> Event.Failure.of(SOURCE, null, "reason")),
          new Call("address", () -> InsertionFailure.of(0, null, Errno.EIO, "reason")),
          new Call("type", () -> VectorOptions.table().withType(null)),
          new Call("duplicates", () -> VectorOptions.table().withDuplicates(null)),
          new Call("resolutionTimeout", () -> VectorOptions.table().withResolutionTimeout(null)),
          new Call("lockTimeout", () -> VectorOptions.table().withLockTimeout(null)),
          new Call("flags", () -> VectorOptions.table().withFlags((VectorFlag[]) null)),
          new Call("element of flags", () -> VectorOptions.table().withFlags((VectorFlag) null)),
          new Call("userIds", () -> InsertOptions.none().withUserIds((long[]) null)),
          new Call("vector", () -> EndpointOptions.none().withVector(null)),
          new Call("queue", () -> EndpointOptions.none().withQueue(null)),
          new Call("counter", () -> EndpointOptions.none().withCounters(null, CounterFlag.SEND)),
          new Call("events", () -> EndpointOptions.none().withEvents(null)),
          new Call("sharedReceives", () -> EndpointOptions.none().withSharedReceives(null)),
          new Call("address", () -> EndpointOptions.none().withAddress(null)),
          new Call("connections", () -> EndpointOptions.none().withConnections(null)),
          new Call("queue", () -> ContextOptions.none().withQueue(null)),
          new Call("counter", () -> ContextOptions.none().withCounters(null, CounterFlag.SEND)),
          new Call("vector", () -> ScalableOptions.of(null)),
          new Call("address", () -> ScalableOptions.none().withAddress(null)),
          new Call("connections", () -> ScalableOptions.none().withConnections(null)),
          new Call("events", () -> PassiveOptions.of(null)),
          new Call("address", () -> PassiveOptions.none().withAddress(null)),
          new Call("answerTimeout", () -> PassiveOptions.none().withAnswerTimeout(null)),
          new Call("connectTimeout", () -> ConnectionOptions.defaults().withConnectTimeout(null)),
          new Call("peerTimeout", () -> ConnectionOptions.defaults().withPeerTimeout(null)),
          new Call("earlyMessages", () -> ConnectionOptions.defaults().withEarlyMessages(null)),
          new Call("format", () -> CompletionQueueOptions.of(null)),
          new Call("vector", () -> RegisterOptions.of().withAnyAuthKey(null)),
          new Call("hints", () -> Fabrics.info(null)),
          new Call("providers", () -> Fabrics.info(HINTS, null)),
          new Call("info", () -> Fabrics.open((FabricInfo) null)),
          new Call("hints", () -> Fabrics.open((Hints) null)),
          new Call("other", () -> ApiVersion.V1_5.isAtLeast(null)),
          new Call("other", () -> ApiVersion.V1_5.compareTo(null)));

  @ParameterizedTest
  @FieldSource("CALLS")
  @DisplayName("is refused with errno 22 and its name")
  void isNamed(Call call) {
    FabricException refusal = catchThrowableOfType(FabricException.class, call.call()::run);
    assertThat(refusal.errno()).isEqualTo(Errno.EINVAL);
    assertThat(refusal).hasMessageContaining(call.name() + " is null");
  }

  @Test
  @DisplayName("What failed shows its error data, not where they are")
  void failuresShowTheirData() {
    byte[] data = {10, -1};
    assertThat(
            Completion.Failure.of(Errno.EADDRNOTAVAIL, "why")
                .flags(1)
                .length(2)
                .overflow(3)
                .data(4)
                .tag(5)
                .source(6)
                .providerErrno(7)
                .errorData(data)
                .build()
                .toString())
        .contains("errorData=0aff", "reason=why", "errno=EADDRNOTAVAIL");
    assertThat(
            Event.Failure.of(SOURCE, Errno.ECONNREFUSED, "why")
                .context("it")
                .errorData(data)
                .build()
                .toString())
        .contains("errorData=0aff", "reason=why", "context=it");
  }
}
