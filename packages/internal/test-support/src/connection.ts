import { once } from 'node:events'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { text } from 'node:stream/consumers'

/** Opens a connection to a server, and sends exactly these characters. */
export async function open(url: string, start: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  socket.write(start)
  return socket
}

/** Sends a request, and returns everything that the server sends until it closes the connection. */
export async function send(url: string, request: string): Promise<string> {
  return text(await open(url, request))
}
