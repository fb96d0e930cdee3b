// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressVector;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.Handles;
import org.ofi4j.Insertion;
import org.ofi4j.InsertionFailure;
import org.ofi4j.UserId;
import org.ofi4j.VectorFlag;

/** Members as entries of a vector, with their user ids if the vector keeps any. */
final class VectorEntries {
  private static final Logger LOG = System.getLogger(VectorEntries.class.getName());

  private final AddressVector vector;
  private final boolean keepsUserIds;

  VectorEntries(AddressVector vector) {
    this.vector = Text.required(vector, "vector");
    long flags = vector.options().flags();
    keepsUserIds = (flags & VectorFlag.USER_ID.mask()) != 0;
    if ((flags & eventFlag()) != 0 || (flags & VectorFlag.READ.mask()) != 0) {
      throw new FabricException(
          Errno.EINVAL,
          "vector: members need one that can be changed, and whose insertions are done when they"
              + " return; open it without FI_READ and FI_EVENT");
    }
  }

  @SuppressWarnings("deprecation") // who asks for it has to be refused
  private static long eventFlag() {
    return VectorFlag.EVENT.mask();
  }

  /**
   * What became of one member.
   *
   * @param handle its handle, or {@link Handles#NOT_AVAILABLE}
   * @param errno why it was refused
   * @param reason the same in words
   */
  record Outcome(long handle, Errno errno, String reason) {
    boolean isIn() {
      return handle != Handles.NOT_AVAILABLE;
    }
  }

  /**
   * Inserts members at once.
   *
   * @return what became of each, in their order
   */
  List<Outcome> insert(List<Member> members) {
    if (members.isEmpty()) {
      return List.of();
    }
    List<Outcome> outcomes = new ArrayList<>(members.size());
    try {
      Insertion insertion = vector.insert(members.stream().map(Member::address).toList());
      for (int i = 0; i < members.size(); i++) {
        outcomes.add(new Outcome(insertion.handle(i), Errno.EIO, ""));
        setUserId(members.get(i), insertion.handle(i));
      }
      for (InsertionFailure each : insertion.failures()) {
        outcomes.set(
            each.position(), new Outcome(Handles.NOT_AVAILABLE, each.errno(), each.reason()));
      }
      return outcomes;
    } catch (FabricException refused) {
      Outcome none = new Outcome(Handles.NOT_AVAILABLE, refused.errno(), text(refused));
      return Collections.nCopies(members.size(), none);
    }
  }

  /**
   * Completions may report an entry before this, and then have no id for it, or that of the member
   * before.
   */
  private void setUserId(Member member, long handle) {
    if (keepsUserIds && handle != Handles.NOT_AVAILABLE) {
      try {
        if (member.userId().isPresent() || vector.userId(handle).isPresent()) {
          // An id cannot be taken away; completions report this of an entry that has none.
          vector.setUserId(handle, new UserId(member.userId().orElse(Handles.NOT_AVAILABLE)));
        }
      } catch (FabricException refused) {
        LOG.log(Level.WARNING, "{0} has no user id: {1}", member.words(), text(refused));
      }
    }
  }

  /** Gives a seat's entry the address and the user id of a member. */
  Outcome replace(Seat seat, Member member) {
    try {
      vector.replace(seat.handle, member.address());
      seat.address = member.address();
      setUserId(member, seat.handle);
      return new Outcome(seat.handle, Errno.EIO, "");
    } catch (FabricException refused) {
      return new Outcome(Handles.NOT_AVAILABLE, refused.errno(), text(refused));
    }
  }

  /** Inserts a member under the handle of a seat that has no entry. */
  Outcome insertAt(Seat seat, Member member) {
    try {
      vector.insertAt(seat.handle, member.address());
      seat.address = member.address();
      setUserId(member, seat.handle);
      return new Outcome(seat.handle, Errno.EIO, "");
    } catch (FabricException refused) {
      return new Outcome(Handles.NOT_AVAILABLE, refused.errno(), text(refused));
    }
  }

  /** Removes entries. One that somebody else has removed is gone as well. */
  void remove(List<Long> handles) {
    if (handles.isEmpty()) {
      return;
    }
    try {
      vector.remove(handles.stream().mapToLong(Long::longValue).toArray());
    } catch (FabricException refused) {
      LOG.log(Level.WARNING, "Members that have left are not all removed: {0}", text(refused));
    }
  }

  /** Removes all entries but those of these seats. */
  void keepOnly(Collection<Seat> seats) {
    Set<Long> known = seats.stream().map(each -> each.handle).collect(Collectors.toSet());
    remove(vector.handles().filter(each -> !known.contains(each)).boxed().toList());
  }

  /** The address of a seat's entry; null if there is none. */
  @Nullable FabricAddress address(Seat seat) {
    if (vector.find(seat.member.address()) == seat.handle) {
      return seat.member.address();
    }
    try {
      return vector.lookup(seat.handle);
    } catch (FabricException none) {
      return null;
    }
  }

  private static String text(FabricException refused) {
    return String.valueOf(refused.getMessage());
  }
}
