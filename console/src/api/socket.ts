// A WebSocket to the API. A browser cannot set headers on one, so the token travels as a subprotocol, as Kubernetes has it.
import { bearer, distrust } from "./login";

const base64url = (text: string) => btoa(text).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");

export async function openSocket(path: string, protocol: string): Promise<WebSocket> {
  const token = await bearer();
  const url = new URL(path, location.href);
  url.protocol = url.protocol.replace("http", "ws");
  const socket = new WebSocket(url, [protocol, `base64url.bearer.authorization.k8s.io.${base64url(token)}`]);
  socket.binaryType = "arraybuffer";
  socket.addEventListener("close", distrust);
  return socket;
}
