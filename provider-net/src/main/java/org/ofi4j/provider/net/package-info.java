/** Endpoints over UDP and TCP. */
package org.ofi4j.provider.net;
