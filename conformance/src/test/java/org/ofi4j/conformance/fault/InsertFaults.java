// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.fault;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.ofi4j.AddressVector;
import org.ofi4j.FabricAddress;
import org.ofi4j.InsertOptions;
import org.ofi4j.Insertion;
import org.ofi4j.conformance.standin.ForwardingAddressVector;
import org.ofi4j.conformance.standin.StandIns;

/** Mistakes in inserting, and in telling what came of it. */
final class InsertFaults {
  private static final FabricAddress BAD = new FabricAddress.SocketAddress4(0, 0);
  private static final long EVENT = 1L << 24;

  private InsertFaults() {}

  static List<PlantedFault> all() {
    return List.of(
        PlantedFault.ofVector("AV-083", "free indices are not used again", Appending::new),
        PlantedFault.ofVector("AV-084", "handles come in reverse order", ReversedHandles::new),
        PlantedFault.ofVector("AV-088", "the first bad address ends the call", StopsAtBad::new),
        PlantedFault.ofVector(
            "AV-113", "a service beside a whole address is ignored", ServiceIgnored::new),
        PlantedFault.ofVector(
            "AV-111", "a failure is a positive code of the resolver", PositiveCode::new),
        PlantedFault.ofVector("AV-118", "IPv6 addresses skip ff and carry wrongly", SkipsFf::new),
        PlantedFault.ofVector("AV-118", "IPv4 addresses count without carry", NoCarry::new),
        PlantedFault.ofVector("AV-202", "inserts return how many were asked for", CountAsked::new));
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
      while (removed && size() < statistics().highWaterMark()) {
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
      return viaOptions(
          this, node, nodeCount, service, serviceCount, handles, errors, flags, context);
    }
  }

  private static final class StopsAtBad extends ForwardingAddressVector {
    StopsAtBad(AddressVector real, StandIns standIns) {
      super(real, standIns);
    }

    @Override
    public Insertion insert(List<? extends FabricAddress> addresses, InsertOptions options) {
      if (addresses == null) {
        return super.insert(addresses, options);
      }
      List<? extends FabricAddress> rest =
          addresses.stream().dropWhile(address -> address.equals(BAD)).toList();
      int bad = rest.indexOf(BAD);
      return super.insert(bad < 0 ? addresses : addresses.subList(0, bad), options);
    }
  }

  private static final class PositiveCode extends ForwardingAddressVector {
    PositiveCode(AddressVector real, StandIns standIns) {
      super(real, standIns);
    }

    @Override
    public int insertService(
        String node,
        String service,
        MemorySegment handles,
        MemorySegment errors,
        long flags,
        Object context) {
      int result = super.insertService(node, service, handles, errors, flags, context);
      return result == 0 && (options().flags() & EVENT) == 0 ? 2 : result;
    }
  }

  /** After 2001:db8::fe comes 2001:db8::1ff. */
  private static final class SkipsFf extends ForwardingAddressVector {
    SkipsFf(AddressVector real, StandIns standIns) {
      super(real, standIns);
    }

    @Override
    public Insertion insertSymmetric(
        String node, int nodeCount, String service, int serviceCount, InsertOptions options) {
      if (node == null || !node.matches("[0-9a-f:]*::[0-9a-f]+") || nodeCount < 2) {
        return super.insertSymmetric(node, nodeCount, service, serviceCount, options);
      }
      int colon = node.lastIndexOf(':');
      int last = Integer.parseInt(node.substring(colon + 1), 16);
      List<FabricAddress> list = new ArrayList<>();
      for (int i = 0; i < nodeCount * serviceCount; i++) {
        int next = last + i / serviceCount;
        String host =
            node.substring(0, colon + 1)
                + Integer.toHexString((next & 0xff) == 0xff ? next + 0x100 : next);
        int port = Integer.parseInt(service) + i % serviceCount;
        list.add(FabricAddress.parse("fi_sockaddr_in6://[" + host + "]:" + port));
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
      return viaOptions(
          this, node, nodeCount, service, serviceCount, handles, errors, flags, context);
    }
  }

  /** The form with arrays by way of the form with options, where that can be done. */
  private static int viaOptions(
      ForwardingAddressVector vector,
      String node,
      int nodeCount,
      String service,
      int serviceCount,
      MemorySegment handles,
      MemorySegment errors,
      long flags,
      Object context) {
    if (errors != null || flags != 0 || (vector.options().flags() & EVENT) != 0) {
      return vector
          .real()
          .insertSymmetric(node, nodeCount, service, serviceCount, handles, errors, flags, context);
    }
    Insertion insertion =
        vector.insertSymmetric(
            node, nodeCount, service, serviceCount, InsertOptions.none().withContext(context));
    for (int i = 0; handles != null && i < insertion.requested(); i++) {
      handles.setAtIndex(ValueLayout.JAVA_LONG_UNALIGNED, i, insertion.handle(i));
    }
    return insertion.result();
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
