// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import org.ofi4j.Errno;

/** Collects what has changed in a vector, and tells a listener when all of a change is done. */
final class Announcements {
  private static final Logger LOG = System.getLogger(Announcements.class.getName());

  private final MemberListener listener;
  private final List<MemberEvent> waiting = new ArrayList<>();

  Announcements(MemberListener listener) {
    this.listener = Text.required(listener, "listener");
  }

  void add(MemberEvent event) {
    waiting.add(event);
  }

  void refused(Member member, Errno errno, String reason) {
    LOG.log(Level.WARNING, "{0} is not in the vector: {1}", member.words(), reason);
    waiting.add(new MemberEvent.Refused(member, errno, reason));
  }

  void tell() {
    List<MemberEvent> now = List.copyOf(waiting);
    waiting.clear();
    for (MemberEvent each : now) {
      try {
        listener.heard(each);
      } catch (Throwable failure) { // whatever an application's listener throws
        LOG.log(Level.ERROR, "A listener failed at " + each, failure);
      }
    }
  }
}
