// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.messaging;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.ofi4j.Progress;
import org.ofi4j.Threading;
import org.ofi4j.benchmarks.figure.Side;
import org.ofi4j.benchmarks.process.JvmCommand;

/** The contestants of the benchmark: this library in its modes, and what is used instead of it. */
public enum Contestant {
  /** One thread polls its queue and never sleeps. */
  OFI4J(Side.OFI4J) {
    @Override
    Peer open(int longest, String provider) {
      return new EndpointPeer(longest, provider, Progress.MANUAL, Threading.SAFE, false);
    }
  },
  /** As {@link #OFI4J}, with {@code FI_THREAD_DOMAIN}. */
  OFI4J_DOMAIN(Side.OFI4J_DOMAIN) {
    @Override
    Peer open(int longest, String provider) {
      return new EndpointPeer(longest, provider, Progress.MANUAL, Threading.DOMAIN, false);
    }
  },
  /** The thread that reads its queue sleeps in the call. */
  OFI4J_BLOCKING(Side.OFI4J_BLOCKING) {
    @Override
    Peer open(int longest, String provider) {
      return new EndpointPeer(longest, provider, Progress.MANUAL, Threading.SAFE, true);
    }
  },
  /** Automatic progress, beside a thread that sleeps while it reads its queue. */
  OFI4J_AUTO(Side.OFI4J_AUTO) {
    @Override
    Peer open(int longest, String provider) {
      return new EndpointPeer(longest, provider, Progress.AUTO, Threading.SAFE, true);
    }
  },
  /** The same provider, or tcp, of the installed libfabric, from C; polls and never sleeps. */
  LIBFABRIC(Side.TCP) {
    @Override
    Peer open(int longest, String provider) {
      throw new IllegalStateException("is no JVM");
    }
  },
  /** Netty's native transport. */
  NETTY_EPOLL(Side.NETTY_EPOLL) {
    @Override
    Peer open(int longest, String provider) throws IOException {
      return new NettyPeer(NettyTransport.epoll(), longest);
    }
  },
  /** Netty over java.nio. */
  NETTY_NIO(Side.NETTY_NIO) {
    @Override
    Peer open(int longest, String provider) throws IOException {
      return new NettyPeer(NettyTransport.nio(), longest);
    }
  },
  /** A blocking channel of the JDK, one message a write. */
  CHANNEL(Side.CHANNEL) {
    @Override
    Peer open(int longest, String provider) throws IOException {
      return new ChannelPeer(longest, false);
    }
  },
  /** A blocking channel of the JDK, 16 short messages a write. */
  BATCHED_CHANNEL(Side.BATCHED_CHANNEL) {
    @Override
    Peer open(int longest, String provider) throws IOException {
      return new ChannelPeer(longest, true);
    }
  },
  /** Aeron's shared memory; polls and never sleeps. */
  AERON(Side.AERON) {
    @Override
    Peer open(int longest, String provider) {
      return new AeronPeer(longest);
    }
  };

  private final Side side;

  Contestant(Side side) {
    this.side = side;
  }

  /** Returns the side whose figures it has. */
  public Side side() {
    return side;
  }

  /** Opens one side of an exchange in this JVM. */
  abstract Peer open(int longest, String provider) throws IOException;

  /** Opens one side of many connections over tcp in this JVM. */
  Crowd openCrowd() {
    return switch (this) {
      case OFI4J, OFI4J_DOMAIN -> new EndpointCrowd(Progress.MANUAL, false);
      case OFI4J_BLOCKING -> new EndpointCrowd(Progress.MANUAL, true);
      case OFI4J_AUTO -> new EndpointCrowd(Progress.AUTO, true);
      case NETTY_EPOLL -> new NettyCrowd(NettyTransport.epoll());
      case NETTY_NIO -> new NettyCrowd(NettyTransport.nio());
      case LIBFABRIC, CHANNEL, BATCHED_CHANNEL, AERON ->
          throw new IllegalStateException(side.title() + " has one connection");
    };
  }

  /** Whether it can have many connections here. */
  boolean hasCrowd() {
    return isOfi4j() || this == NETTY_EPOLL || this == NETTY_NIO;
  }

  /** Whether it is this library. */
  boolean isOfi4j() {
    return side.isMode();
  }

  /** Whether messages can say that another one follows. */
  boolean canAnnounce() {
    return isOfi4j() || this == LIBFABRIC;
  }

  /** Whether it sleeps while it waits; those that poll make any number of system calls. */
  boolean sleeps() {
    return switch (this) {
      case OFI4J, OFI4J_DOMAIN, LIBFABRIC, AERON -> false;
      default -> true;
    };
  }

  /** Returns the command of a JVM for it with more options, to which arguments may be added. */
  List<String> jvm(Class<?> main, String provider, List<String> more) {
    List<String> options = new ArrayList<>(more);
    if (isOfi4j()) {
      String calling = main.getModule().isNamed() ? "org.ofi4j.provider.libfabric" : "ALL-UNNAMED";
      if (!provider.equals(MessagingOptions.TCP) && !provider.equals(MessagingOptions.MEMORY)) {
        options.add("--enable-native-access=" + calling);
      }
      return JvmCommand.of(main, options);
    }
    options.add(
        this == AERON
            // Agrona accesses memory with an internal class of the JDK.
            ? "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED"
            : "--enable-native-access=ALL-UNNAMED");
    return JvmCommand.onClassPath(main, options);
  }
}
