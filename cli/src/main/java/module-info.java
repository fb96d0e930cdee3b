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
  requires static org.jspecify;
  requires static org.ofi4j.benchmarks;
  requires static org.ofi4j.conformance;

  opens org.ofi4j.cli to
      info.picocli;
}
