// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

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
    assertThat(new Event.Failure(null, "it", 4, Errno.ECONNREFUSED, 7, "why", data).toString())
        .contains("errorData=0aff", "reason=why", "context=it");
  }
}
