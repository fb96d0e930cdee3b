package org.ofi4j.conformance.fault;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.ofi4j.AddressVector;
import org.ofi4j.Event;
import org.ofi4j.EventQueue;
import org.ofi4j.FabricAddress;
import org.ofi4j.InsertFlag;
import org.ofi4j.InsertOptions;
import org.ofi4j.Insertion;

/** Mistakes in inserting, and in telling what came of it. */
final class InsertFaults {
  private InsertFaults() {}

  static List<PlantedFault> all() {
    return List.of(
        new PlantedFault("ASY", "completions overtake the errors of their call", new Overtaking()),
        new PlantedFault("ASY", "failed addresses are counted from one", new CountingFromOne()),
        PlantedFault.ofVector("INS", "free indices are not used again", Appending::new),
        PlantedFault.ofVector("INS", "handles come in reverse order", ReversedHandles::new),
        PlantedFault.ofVector(
            "SVC", "a service beside a whole address is ignored", ServiceIgnored::new),
        PlantedFault.ofVector("SYM", "IPv4 addresses count without carry", NoCarry::new),
        PlantedFault.ofVector("RET", "inserts return how many were asked for", CountAsked::new));
  }

  /** Reads on until a completion, and hands that out first. */
  private static final class Overtaking extends Wrapping {
    @Override
    EventQueue eventQueue(EventQueue real, StandIns standIns) {
      return new ForwardingEventQueue(real, standIns) {
        private final Deque<Event> held = new ArrayDeque<>();
        private final Deque<Event.Failure> late = new ArrayDeque<>();

        private void collect() {
          super.poll(
              event -> {
                if (event instanceof Event.Failure failure) {
                  late.add(failure);
                } else {
                  held.add(event);
                }
              },
              Integer.MAX_VALUE);
        }

        @Override
        public Event read() {
          collect();
          return held.poll();
        }

        @Override
        public Event read(Duration timeout) throws InterruptedException {
          long deadline = System.nanoTime() + timeout.toNanos();
          while (true) {
            Event event = read();
            if (event != null) {
              return event;
            }
            if (System.nanoTime() - deadline >= 0) {
              return null;
            }
            Thread.sleep(1);
          }
        }

        @Override
        public Event.Failure readError() {
          collect();
          return late.poll();
        }
      };
    }
  }

  private static final class CountingFromOne extends Wrapping {
    @Override
    EventQueue eventQueue(EventQueue real, StandIns standIns) {
      return new ForwardingEventQueue(real, standIns) {
        @Override
        public Event.Failure readError() {
          Event.Failure failure = super.readError();
          return failure == null
              ? null
              : new Event.Failure(
                  failure.source(),
                  failure.context(),
                  failure.data() + 1,
                  failure.errno(),
                  failure.providerErrno(),
                  failure.reason());
        }
      };
    }
  }

  /** Before each insert after a removal, fills the holes, and empties them afterwards. */
  private static final class Appending extends ForwardingAddressVector {
    private boolean removed;
    private int next = 0x0b00_0000;

    Appending(AddressVector real, StandIns standIns) {
      super(real, standIns);
    }

    @Override
    public void remove(MemorySegment handles, int count, long flags) {
      super.remove(handles, count, flags);
      removed = true;
    }

    @Override
    public Insertion insert(List<? extends FabricAddress> addresses, InsertOptions options) {
      List<Long> fillers = new ArrayList<>();
      while (removed && size() < highWaterMark()) {
        fillers.add(real().insert(new FabricAddress.SocketAddress4(next++, 1)));
      }
      try {
        return super.insert(addresses, options);
      } finally {
        fillers.forEach(real()::remove);
      }
    }
  }

  private static final class ReversedHandles extends ForwardingAddressVector {
    ReversedHandles(AddressVector real, StandIns standIns) {
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
      int result = super.insert(addresses, count, handles, errors, flags, context);
      if (handles != null) {
        long[] fi = handles.toArray(ValueLayout.JAVA_LONG_UNALIGNED);
        for (int i = 0; i < count; i++) {
          handles.setAtIndex(ValueLayout.JAVA_LONG_UNALIGNED, i, fi[count - 1 - i]);
        }
      }
      return result;
    }
  }

  private static final class ServiceIgnored extends ForwardingAddressVector {
    ServiceIgnored(AddressVector real, StandIns standIns) {
      super(real, standIns);
    }

    private static String service(String node, String service) {
      return node != null && node.contains("://") ? null : service;
    }

    @Override
    public long insertService(String node, String service) {
      return super.insertService(node, service(node, service));
    }

    @Override
    public Insertion insertService(String node, String service, InsertOptions options) {
      return super.insertService(node, service(node, service), options);
    }

    @Override
    public int insertService(
        String node,
        String service,
        MemorySegment handles,
        MemorySegment errors,
        long flags,
        Object context) {
      return super.insertService(node, service(node, service), handles, errors, flags, context);
    }
  }

  /** After 10.1.1.255 comes 10.1.1.0. */
  private static final class NoCarry extends ForwardingAddressVector {
    NoCarry(AddressVector real, StandIns standIns) {
      super(real, standIns);
    }

    @Override
    public Insertion insertSymmetric(
        String node, int nodeCount, String service, int serviceCount, InsertOptions options) {
      if (node == null || !node.matches("\\d+\\.\\d+\\.\\d+\\.\\d+") || nodeCount < 2) {
        return super.insertSymmetric(node, nodeCount, service, serviceCount, options);
      }
      int dot = node.lastIndexOf('.');
      int last = Integer.parseInt(node.substring(dot + 1));
      List<FabricAddress> list = new ArrayList<>();
      for (int i = 0; i < nodeCount * serviceCount; i++) {
        String host = node.substring(0, dot + 1) + (last + i / serviceCount) % 256;
        int port = Integer.parseInt(service) + i % serviceCount;
        list.add(FabricAddress.parse("fi_sockaddr_in://" + host + ":" + port));
      }
      return super.insert(list, options);
    }

    @Override
    public int insertSymmetric(
        String node,
        int nodeCount,
        String service,
        int serviceCount,
        MemorySegment handles,
        MemorySegment errors,
        long flags,
        Object context) {
      if (errors != null || (flags & InsertFlag.USER_ID.mask()) != 0) {
        return super.insertSymmetric(
            node, nodeCount, service, serviceCount, handles, errors, flags, context);
      }
      Insertion insertion =
          insertSymmetric(
              node, nodeCount, service, serviceCount, new InsertOptions(flags, null, context));
      for (int i = 0; i < insertion.requested(); i++) {
        OpenFaults.setHandle(handles, i, insertion.handle(i));
      }
      return insertion.result();
    }
  }

  private static final class CountAsked extends ForwardingAddressVector {
    CountAsked(AddressVector real, StandIns standIns) {
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
      super.insert(addresses, count, handles, errors, flags, context);
      return count;
    }
  }
}
