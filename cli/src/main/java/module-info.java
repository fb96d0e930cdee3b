// SPDX-License-Identifier: Apache-2.0
/** The ofi4j command. */
@SuppressWarnings("requires-automatic") // progressbar's terminal library and HdrHistogram
@org.jspecify.annotations.NullMarked
module org.ofi4j.cli {
  requires HdrHistogram;
  requires info.picocli;
  requires me.tongfei.progressbar;
  requires org.jline.nativ;
  requires org.ofi4j.api;
  requires tools.jackson.core;
  requires static org.jspecify;
  requires static org.ofi4j.benchmarks;
  requires static org.ofi4j.conformance;
  requires static org.ofi4j.stress;

  opens org.ofi4j.cli to
      info.picocli;
  opens org.ofi4j.cli.av to
      info.picocli;
  opens org.ofi4j.cli.bench to
      info.picocli;
  opens org.ofi4j.cli.cluster to
      info.picocli;
  opens org.ofi4j.cli.conformance to
      info.picocli;
  opens org.ofi4j.cli.demo to
      info.picocli;
  opens org.ofi4j.cli.info to
      info.picocli;
  opens org.ofi4j.cli.output to
      info.picocli;
  opens org.ofi4j.cli.pingpong to
      info.picocli;
}
