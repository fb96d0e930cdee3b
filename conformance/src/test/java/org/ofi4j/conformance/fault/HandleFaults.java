package org.ofi4j.conformance.fault;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.ofi4j.AddressText;
import org.ofi4j.AddressVector;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.InsertFlag;
import org.ofi4j.InsertOptions;
import org.ofi4j.Insertion;

/** Mistakes in what becomes of an entry after it was inserted. */
final class HandleFaults {
  private HandleFaults() {}

  static List<PlantedFault> all() {
    return List.of(
        PlantedFault.ofVector("REM", "remove stops at the first bad handle", StopsEarly::new),
        PlantedFault.ofVector("LKP", "a short buffer is an error", ShortIsError::new),
        PlantedFault.ofVector("STR", "the length is that of the text cut off", CutLength::new),
        PlantedFault.ofVector("UID", "the first id that is set stays", FirstIdStays::new),
        PlantedFault.ofVector("UI", "ids at insert are taken and ignored", IdsForgotten::new),
        PlantedFault.ofVector("NOTE", "one remove kills a shared entry", NoSharing::new),
        PlantedFault.ofVector("EXT", "removing an unset handle is no error", SilentRemove::new),
        PlantedFault.ofVector("EXT", "flags of later versions are ignored", FirewallIgnored::new));
  }

  private static final class StopsEarly extends ForwardingAddressVector {
    StopsEarly(AddressVector real, StandIns standIns) {
      super(real, standIns);
    }

    @Override
    public void remove(MemorySegment handles, int count, long flags) {
      if (handles == null || count < 2 || handles.byteSize() < (long) Long.BYTES * count) {
        super.remove(handles, count, flags);
        return;
      }
      for (int i = 0; i < count; i++) {
        super.remove(handles.asSlice((long) Long.BYTES * i, Long.BYTES), 1, flags);
      }
    }
  }

  private static final class ShortIsError extends ForwardingAddressVector {
    ShortIsError(AddressVector real, StandIns standIns) {
      super(real, standIns);
    }

    @Override
    public int lookup(long handle, MemorySegment buffer) {
      int needed = super.lookup(handle, buffer);
      if (buffer.byteSize() < needed) {
        throw new FabricException(Errno.ETOOSMALL, "the buffer is too small");
      }
      return needed;
    }
  }

  private static final class CutLength extends ForwardingAddressVector {
    CutLength(AddressVector real, StandIns standIns) {
      super(real, standIns);
    }

    @Override
    public AddressText toText(MemorySegment address, MemorySegment buffer) {
      AddressText text = super.toText(address, buffer);
      return text == null
          ? null
          : new AddressText(text.buffer(), (int) Math.min(text.length(), buffer.byteSize()));
    }
  }

  private static final class FirstIdStays extends ForwardingAddressVector {
    private final Set<Long> known = new HashSet<>();

    FirstIdStays(AddressVector real, StandIns standIns) {
      super(real, standIns);
    }

    @Override
    public void setUserId(long handle, long userId, long flags) {
      if (!known.contains(handle)) {
        super.setUserId(handle, userId, flags);
        known.add(handle);
      }
    }
  }

  private static final class IdsForgotten extends ForwardingAddressVector {
    IdsForgotten(AddressVector real, StandIns standIns) {
      super(real, standIns);
    }

    @Override
    public Insertion insert(List<? extends FabricAddress> addresses, InsertOptions options) {
      return super.insert(
          addresses,
          options == null || options.input() == null
              ? options
              : new InsertOptions(
                  options.flags() & ~InsertFlag.USER_ID.mask(), null, options.context()));
    }

    @Override
    public int insert(
        MemorySegment addresses,
        int count,
        MemorySegment handles,
        MemorySegment errors,
        long flags,
        Object context) {
      long kept = handles == null ? flags : flags & ~InsertFlag.USER_ID.mask();
      return super.insert(addresses, count, handles, errors, kept, context);
    }
  }

  private static final class NoSharing extends ForwardingAddressVector {
    NoSharing(AddressVector real, StandIns standIns) {
      super(real, standIns);
    }

    @Override
    public void remove(MemorySegment handles, int count, long flags) {
      super.remove(handles, count, flags);
      for (int i = 0; i < count; i++) {
        long handle = handles.getAtIndex(ValueLayout.JAVA_LONG_UNALIGNED, i);
        try {
          for (int times = 0; times < 1000; times++) {
            real().remove(handle);
          }
        } catch (FabricException gone) {
          // That was the last one.
        }
      }
    }
  }

  private static final class SilentRemove extends ForwardingAddressVector {
    SilentRemove(AddressVector real, StandIns standIns) {
      super(real, standIns);
    }

    @Override
    public void remove(MemorySegment handles, int count, long flags) {
      try {
        super.remove(handles, count, flags);
      } catch (FabricException ignored) {
        // As if all was well.
      }
    }
  }

  private static final class FirewallIgnored extends ForwardingAddressVector {
    FirewallIgnored(AddressVector real, StandIns standIns) {
      super(real, standIns);
    }

    @Override
    public Insertion insertService(String node, String service, InsertOptions options) {
      return super.insertService(
          node,
          service,
          new InsertOptions(
              options.flags() & ~InsertFlag.FIREWALL_ADDRESS.mask(),
              options.input(),
              options.context()));
    }
  }
}
