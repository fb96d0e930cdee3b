package org.ofi4j.conformance.harness;

import static org.assertj.core.api.Assertions.assertThat;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.ofi4j.AddressVector;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;

/** Expectations that nearly every rule has. */
public final class Expect {
  private Expect() {}

  /**
   * A call that has to fail.
   *
   * @param errno why
   * @param call the call
   * @return the failure
   */
  public static FabricException failure(Errno errno, ThrowingCallable call) {
    try {
      call.call();
    } catch (FabricException failure) {
      assertThat(failure.errno()).as("errno of \"%s\"", failure.getMessage()).isEqualTo(errno);
      assertThat(failure.code()).isEqualTo(-errno.number());
      assertThat(failure.getMessage())
          .as("words beyond name and number of the errno")
          .hasSizeGreaterThan((errno.name() + " (" + errno.number() + "): ").length());
      return failure;
    } catch (Throwable other) {
      throw new AssertionError("expected errno " + errno + ", but got " + other, other);
    }
    throw new AssertionError("expected errno " + errno + ", but the call succeeded");
  }

  /** A handle that names no entry. */
  public static void unset(AddressVector vector, long handle) {
    failure(Errno.EINVAL, () -> vector.lookup(handle));
  }
}
