// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

/** {@code enum fi_threading}: how much locking an application leaves to the provider. */
public enum Threading {
  /** {@code FI_THREAD_UNSPEC}: the provider chooses; ofi4j is always {@link #SAFE}. */
  UNSPECIFIED(0),
  /** {@code FI_THREAD_SAFE}: any thread may call anything. */
  SAFE(1),
  /** {@code FI_THREAD_FID}: one thread at a time for each object. */
  FID(2),
  /** {@code FI_THREAD_DOMAIN}: one thread at a time for each domain. */
  DOMAIN(3),
  /** {@code FI_THREAD_COMPLETION}: one thread at a time for each completion structure. */
  COMPLETION(4),
  /** {@code FI_THREAD_ENDPOINT}: one thread at a time for each endpoint. */
  ENDPOINT(5);

  private final int number;

  Threading(int number) {
    this.number = number;
  }

  /** {@return the number in {@code rdma/fabric.h}, 0 to 5} */
  public int number() {
    return number;
  }
}
