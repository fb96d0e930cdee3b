// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.LinkedBlockingQueue;

/** Keeps what a listener hears until a test asks for it. */
final class Events implements MemberListener {
  private final LinkedBlockingQueue<MemberEvent> heard = new LinkedBlockingQueue<>();

  @Override
  public void heard(MemberEvent event) {
    heard.add(event);
  }

  /** The next event, of this kind. */
  <T extends MemberEvent> T next(Class<T> kind) {
    try {
      MemberEvent event = heard.take();
      assertThat(event).isInstanceOf(kind);
      return kind.cast(event);
    } catch (InterruptedException interrupted) {
      throw new AssertionError(interrupted);
    }
  }

  /** The next event about a member, of this kind, whatever is said of others before. */
  <T extends MemberEvent> T next(Class<T> kind, String name) {
    while (true) {
      MemberEvent event = next(MemberEvent.class);
      if (event.member().name().equals(name)) {
        assertThat(event).isInstanceOf(kind);
        return kind.cast(event);
      }
    }
  }

  boolean isEmpty() {
    return heard.isEmpty();
  }
}
