// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.fault;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.ofi4j.AddressText;
import org.ofi4j.AddressVector;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.Handles;
import org.ofi4j.InsertFlag;
import org.ofi4j.InsertOptions;
import org.ofi4j.Insertion;
import org.ofi4j.UserId;
import org.ofi4j.conformance.standin.ForwardingAddressVector;
import org.ofi4j.conformance.standin.StandIns;

/** Mistakes in what becomes of an entry after it was inserted. */
final class HandleFaults {
  private HandleFaults() {}

  static List<PlantedFault> all() {
    return List.of(
        PlantedFault.ofVector("AV-125", "remove stops at the first bad handle", StopsEarly::new),
        PlantedFault.ofVector("AV-128", "removed entries can still be looked up", Remembering::new),
        PlantedFault.ofVector("AV-139", "a short buffer is an error", ShortIsError::new),
        PlantedFault.ofVector("AV-138", "lookup writes past a short buffer", Overrun::new),
        PlantedFault.ofVector("AV-151", "the length is that of the text cut off", CutLength::new),
        PlantedFault.ofVector("AV-153", "a text cut off has no terminator", NoTerminator::new),
        PlantedFault.ofVector("AV-175", "the first id that is set stays", FirstIdStays::new),
        PlantedFault.ofVector("AV-176", "an id outlives its entry", StaleId::new),
        PlantedFault.ofVector("AV-175", "ids of indices from 64 on are lost", LowIds::new),
        PlantedFault.ofVector("AV-184", "handles of keys are those of addresses", LowKeys::new),
        PlantedFault.ofVector("AV-207", "an id stays where its address failed", KeepsId::new),
        PlantedFault.ofVector("AV-170", "flags of insertAuthKey are ignored", KeyFlagsIgnored::new),
        PlantedFault.ofVector(
            "AV-174", "the length of a key is that of what fits", KeyCutShort::new),
        PlantedFault.ofVector("AV-189", "ids at insert are taken and ignored", IdsForgotten::new),
        PlantedFault.ofVector("AV-178", "one remove kills a shared entry", NoSharing::new),
        PlantedFault.ofVector("AV-223", "removing an unset handle is no error", SilentRemove::new),
        PlantedFault.ofVector(
            "AV-222", "flags of later versions are ignored", FirewallIgnored::new));
  }

  private static final class LowIds extends ForwardingAddressVector {
    LowIds(AddressVector real, StandIns standIns) {
      super(real, standIns);
    }

    @Override
    public void setUserId(long handle, UserId id) {
      if (handle < 64 || handle >= size()) {
        super.setUserId(handle, id);
      }
    }
  }

  private static final class KeepsId extends ForwardingAddressVector {
    KeepsId(AddressVector real, StandIns standIns) {
      super(real, standIns);
    }

    @Override
    public int insert(
        MemorySegment addresses,
        int count,
        MemorySegment handles,
        MemorySegment errors,
        long flags,
        Object context) {
      long[] ids = handles == null ? null : handles.toArray(ValueLayout.JAVA_LONG_UNALIGNED);
      int result = super.insert(addresses, count, handles, errors, flags, context);
      for (int i = 0; (flags & InsertFlag.USER_ID.mask()) != 0 && ids != null && i < count; i++) {
        if (handles.getAtIndex(ValueLayout.JAVA_LONG_UNALIGNED, i) == Handles.NOT_AVAILABLE) {
          handles.setAtIndex(ValueLayout.JAVA_LONG_UNALIGNED, i, ids[i]);
        }
      }
      return result;
    }
  }

  /** The n-th key has the number that the n-th address has. */
  private static final class LowKeys extends ForwardingAddressVector {
    private final Map<Long, Long> keys = new ConcurrentHashMap<>();

    LowKeys(AddressVector real, StandIns standIns) {
      super(real, standIns);
    }

    @Override
    public long insertAuthKey(byte[] key, long flags) {
      long handle = super.insertAuthKey(key, flags);
      keys.put(handle & 0xFF, handle);
      return handle & 0xFF;
    }

    @Override
    public int lookupAuthKey(long handle, MemorySegment buffer) {
      return super.lookupAuthKey(keys.getOrDefault(handle, handle), buffer);
    }
  }

  private static final class KeyFlagsIgnored extends ForwardingAddressVector {
    KeyFlagsIgnored(AddressVector real, StandIns standIns) {
      super(real, standIns);
    }

    @Override
    public long insertAuthKey(byte[] key, long flags) {
      return super.insertAuthKey(key, 0);
    }
  }

  private static final class KeyCutShort extends ForwardingAddressVector {
    KeyCutShort(AddressVector real, StandIns standIns) {
      super(real, standIns);
    }

    @Override
    public int lookupAuthKey(long handle, MemorySegment buffer) {
      return (int) Math.min(super.lookupAuthKey(handle, buffer), buffer.byteSize());
    }
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

  private static final class Remembering extends ForwardingAddressVector {
    private final Map<Long, FabricAddress> seen = new ConcurrentHashMap<>();

    Remembering(AddressVector real, StandIns standIns) {
      super(real, standIns);
    }

    @Override
    public void remove(MemorySegment handles, int count, long flags) {
      for (int i = 0; handles != null && i < count && i < handles.byteSize() / 8; i++) {
        long handle = handles.getAtIndex(ValueLayout.JAVA_LONG_UNALIGNED, i);
        try {
          seen.put(handle, super.lookup(handle));
        } catch (FabricException unset) {
          // Nothing to remember.
        }
      }
      super.remove(handles, count, flags);
    }

    @Override
    public FabricAddress lookup(long handle) {
      FabricAddress remembered = seen.get(handle);
      return remembered == null || !isOpen() ? super.lookup(handle) : remembered;
    }
  }

  /** Writes the whole address wherever the memory behind the buffer has room for it. */
  private static final class Overrun extends ForwardingAddressVector {
    Overrun(AddressVector real, StandIns standIns) {
      super(real, standIns);
    }

    @Override
    public int lookup(long handle, MemorySegment buffer) {
      int needed = super.lookup(handle, buffer);
      if (buffer.byteSize() < needed && buffer.heapBase().orElse(null) instanceof byte[] memory) {
        byte[] whole = new byte[needed];
        super.lookup(handle, MemorySegment.ofArray(whole));
        int start = (int) buffer.address();
        System.arraycopy(whole, 0, memory, start, Math.min(needed, memory.length - start));
      }
      return needed;
    }
  }

  private static final class NoTerminator extends ForwardingAddressVector {
    NoTerminator(AddressVector real, StandIns standIns) {
      super(real, standIns);
    }

    @Override
    public AddressText toText(MemorySegment address, MemorySegment buffer) {
      AddressText text = super.toText(address, buffer);
      if (text != null && buffer.byteSize() > 0 && buffer.byteSize() < text.length()) {
        buffer.set(ValueLayout.JAVA_BYTE, buffer.byteSize() - 1, (byte) '!');
      }
      return text;
    }
  }

  /** Gives an index that is used again the id of whoever had it before. */
  private static final class StaleId extends ForwardingAddressVector {
    private final Map<Long, UserId> ids = new ConcurrentHashMap<>();

    StaleId(AddressVector real, StandIns standIns) {
      super(real, standIns);
    }

    @Override
    public void setUserId(long handle, UserId id) {
      super.setUserId(handle, id);
      ids.put(handle, id);
    }

    private void restore(long handle) {
      UserId id = ids.get(handle);
      if (id != null) {
        super.setUserId(handle, id);
      }
    }

    @Override
    public long insert(FabricAddress address) {
      long handle = super.insert(address);
      restore(handle);
      return handle;
    }

    @Override
    public Insertion insert(List<? extends FabricAddress> addresses, InsertOptions options) {
      Insertion insertion = super.insert(addresses, options);
      for (long handle : insertion.handles()) {
        restore(handle);
      }
      return insertion;
    }

    @Override
    public int insert(
        MemorySegment addresses,
        int count,
        MemorySegment handles,
        MemorySegment errors,
        long flags,
        Object context) {
      int result = super.insert(addresses, count, handles, errors, flags, context);
      for (int i = 0; handles != null && i < count; i++) {
        restore(handles.getAtIndex(ValueLayout.JAVA_LONG_UNALIGNED, i));
      }
      return result;
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
    public void setUserId(long handle, UserId id) {
      if (!known.contains(handle)) {
        super.setUserId(handle, id);
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
              : InsertOptions.of(options.flags() & ~InsertFlag.USER_ID.mask(), null)
                  .withContext(options.context()));
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
          InsertOptions.of(options.flags() & ~InsertFlag.FIREWALL_ADDRESS.mask(), options.input())
              .withContext(options.context()));
    }
  }
}
