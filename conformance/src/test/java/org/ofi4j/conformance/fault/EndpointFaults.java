// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.fault;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.ofi4j.AddressVector;
import org.ofi4j.Completion;
import org.ofi4j.CompletionQueue;
import org.ofi4j.Domain;
import org.ofi4j.EndpointOptions;
import org.ofi4j.Errno;
import org.ofi4j.Fabric;
import org.ofi4j.FabricInfo;
import org.ofi4j.Handles;
import org.ofi4j.MessageEndpoint;
import org.ofi4j.ReceiveRequest;
import org.ofi4j.ReliableEndpoint;
import org.ofi4j.TaggedReceiveRequest;
import org.ofi4j.TaggedSendRequest;
import org.ofi4j.VectorOptions;
import org.ofi4j.conformance.standin.ForwardingCompletionQueue;
import org.ofi4j.conformance.standin.ForwardingDomain;
import org.ofi4j.conformance.standin.ForwardingReliableEndpoint;
import org.ofi4j.conformance.standin.StandIns;
import org.ofi4j.conformance.standin.Wrapping;

/** Mistakes of endpoints and their queues. */
final class EndpointFaults {
  private EndpointFaults() {}

  static List<PlantedFault> all() {
    return List.of(
        new PlantedFault("AV-147", "a group beyond the largest means another one", new Folded()),
        new PlantedFault("AV-198", "receives take messages of every group", new Ungrouped()),
        new PlantedFault("AV-216", "unknown senders are inserted unasked", new Inserting()),
        new PlantedFault(
            "AV-210", "a vector of another domain is taken and ignored", new ForeignVector()),
        new PlantedFault("AV-215", "the source is never reported", new NoSource()));
  }

  /** Puts each sender whose address is reported into the vector of the endpoint. */
  private static final class Inserting extends Wrapping {
    private final Map<CompletionQueue, AddressVector> vectors = new ConcurrentHashMap<>();

    @Override
    public CompletionQueue completionQueue(CompletionQueue real, StandIns standIns) {
      return new ForwardingCompletionQueue(real, standIns) {
        @Override
        public Completion.Failure readError() {
          Completion.Failure failure = super.readError();
          AddressVector vector = vectors.get(real());
          if (failure != null && failure.errno() == Errno.EADDRNOTAVAIL && vector != null) {
            vector.insert(failure.senderAddress(vector.format()));
          }
          return failure;
        }
      };
    }

    @Override
    public Domain domain(Domain real, StandIns standIns, Fabric fabric) {
      return new ForwardingDomain(real, standIns, this, fabric) {
        @Override
        public MessageEndpoint openEndpoint(FabricInfo info, EndpointOptions options) {
          MessageEndpoint endpoint = super.openEndpoint(info, options);
          if (options.vector() != null && options.receive() != null) {
            vectors.put(StandIns.real(options.receive().queue()), options.vector());
          }
          return endpoint;
        }
      };
    }
  }

  /** Uses a vector of the endpoint's own domain in place of one that does not belong there. */
  private static final class ForeignVector extends Wrapping {
    @Override
    public Domain domain(Domain real, StandIns standIns, Fabric fabric) {
      return new ForwardingDomain(real, standIns, this, fabric) {
        private AddressVector own;

        @Override
        public AddressVector openAddressVector(VectorOptions options) {
          own = super.openAddressVector(options);
          return own;
        }

        @Override
        public MessageEndpoint openEndpoint(FabricInfo info, EndpointOptions options) {
          AddressVector vector = options.vector();
          boolean foreign = vector != null && own != null && !vector.domain().equals(this);
          return super.openEndpoint(info, foreign ? options.withVector(own) : options);
        }
      };
    }
  }

  /** Changes handles before the endpoint sees them. */
  private abstract static class Rewriting extends Wrapping {
    abstract long rewritten(long handle);

    @Override
    public ReliableEndpoint reliableEndpoint(ReliableEndpoint real, StandIns standIns) {
      return new ForwardingReliableEndpoint(real, standIns) {
        @Override
        public boolean trySend(MemorySegment message, long destination, Object context) {
          return super.trySend(message, rewritten(destination), context);
        }

        @Override
        public boolean tryInject(MemorySegment message, long destination) {
          return super.tryInject(message, rewritten(destination));
        }

        @Override
        public boolean trySendTagged(TaggedSendRequest request) {
          return super.trySendTagged(request.destination(rewritten(request.destination())));
        }

        @Override
        public boolean tryReceive(ReceiveRequest request) {
          return super.tryReceive(request.source(rewritten(request.source())));
        }

        @Override
        public boolean tryReceiveTagged(TaggedReceiveRequest request) {
          return super.tryReceiveTagged(request.source(rewritten(request.source())));
        }
      };
    }
  }

  private static final class Ungrouped extends Rewriting {
    @Override
    long rewritten(long handle) {
      boolean any = (int) handle == -1;
      return any ? Handles.UNSPECIFIED : handle & 0xFFFF_FFFFL;
    }
  }

  private static final class Folded extends Rewriting {
    @Override
    long rewritten(long handle) {
      return handle == Handles.UNSPECIFIED ? handle : handle & 0xFF_FFFF_FFFFL;
    }
  }

  private static final class NoSource extends Wrapping {
    @Override
    public CompletionQueue completionQueue(CompletionQueue real, StandIns standIns) {
      return new ForwardingCompletionQueue(real, standIns) {
        @Override
        public Completion.Success read() {
          Completion.Success success = super.read();
          return success == null
              ? null
              : Completion.Success.of(success.context(), success.flags())
                  .length(success.length())
                  .data(success.data())
                  .tag(success.tag())
                  .build();
        }
      };
    }
  }
}
