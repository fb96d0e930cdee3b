// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.fault;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.ofi4j.AddressVector;
import org.ofi4j.Completion;
import org.ofi4j.CompletionQueue;
import org.ofi4j.Endpoint;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.Handles;
import org.ofi4j.conformance.standin.ForwardingCompletionQueue;
import org.ofi4j.conformance.standin.ForwardingEndpoint;
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
        new PlantedFault("AV-210", "a second vector is taken and ignored", new SecondVector()),
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
    public Endpoint endpoint(Endpoint real, StandIns standIns) {
      return new ForwardingEndpoint(real, standIns) {
        private AddressVector bound;

        @Override
        public void bind(AddressVector vector, long flags) {
          super.bind(vector, flags);
          bound = vector;
        }

        @Override
        public void bind(CompletionQueue queue, long flags) {
          super.bind(queue, flags);
          if (bound != null) {
            vectors.put(StandIns.real(queue), bound);
          }
        }
      };
    }
  }

  private static final class SecondVector extends Wrapping {
    @Override
    public Endpoint endpoint(Endpoint real, StandIns standIns) {
      return new ForwardingEndpoint(real, standIns) {
        private boolean bound;

        @Override
        public void bind(AddressVector vector, long flags) {
          try {
            super.bind(vector, flags);
            bound = true;
          } catch (FabricException refused) {
            if (!bound || refused.errno() != Errno.EINVAL) {
              throw refused;
            }
          }
        }
      };
    }
  }

  /** Changes handles before the endpoint sees them. */
  private abstract static class Rewriting extends Wrapping {
    abstract long rewritten(long handle);

    @Override
    public Endpoint endpoint(Endpoint real, StandIns standIns) {
      return new ForwardingEndpoint(real, standIns) {
        @Override
        public void send(
            MemorySegment message, long data, long destination, Object context, long flags) {
          super.send(message, data, rewritten(destination), context, flags);
        }

        @Override
        public void inject(MemorySegment message, long destination) {
          super.inject(message, rewritten(destination));
        }

        @Override
        public void sendTagged(
            MemorySegment message,
            long data,
            long destination,
            long tag,
            Object context,
            long flags) {
          super.sendTagged(message, data, rewritten(destination), tag, context, flags);
        }

        @Override
        public void receive(MemorySegment buffer, long source, Object context, long flags) {
          super.receive(buffer, rewritten(source), context, flags);
        }

        @Override
        public void receiveTagged(
            MemorySegment buffer, long source, long tag, long ignore, Object context, long flags) {
          super.receiveTagged(buffer, rewritten(source), tag, ignore, context, flags);
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
              : new Completion.Success(
                  success.context(),
                  success.flags(),
                  success.length(),
                  success.data(),
                  success.tag(),
                  Handles.NOT_AVAILABLE);
        }
      };
    }
  }
}
