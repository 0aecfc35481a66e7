import type pg from 'pg'

interface Internals {
  readonly processID: number
  readonly connection: { readonly stream: { destroy(): void } }
}

const internalsOf = (client: pg.ClientBase): Internals => client as unknown as Internals

/** The process of PostgreSQL that serves the connection, by which another connection cancels its statement. */
export const serverProcessOf = (client: pg.ClientBase): number => internalsOf(client).processID

/** Closes the socket. `client.end()` while connecting would leave `connect()` pending forever. */
export const closeSocket = (client: pg.ClientBase): void => internalsOf(client).connection.stream.destroy()
