import pg from 'pg'
import { Parser } from 'pg-protocol/dist/parser.js'
import { largeFrom, ownEventLoopTurn } from '../work/turn.ts'
import { rowTexts } from './row-texts.ts'

interface Message {
  readonly name: string
}

/** pg's parser of PostgreSQL messages, with the internal method that parses one message. */
interface Reader {
  handlePacket(offset: number, code: number, length: number, bytes: Buffer): Message
  parse(bytes: Buffer, onMessage: (message: Message) => void): void
}

interface Connection {
  rowBytesMax: number | undefined
  attachListeners(stream: NodeJS.ReadableStream): void
  emit(event: string, message: Message): void
}

const dataRow = 0x44
const lengthBytes = 4

/** pg's parser with a faster decoder of rows: pg decodes every text separately. */
function rowReader(): Reader {
  const reader = new Parser() as unknown as Reader
  const other = reader.handlePacket.bind(reader)
  const texts: (string | null)[] = []
  reader.handlePacket = (offset, code, length, bytes) => {
    if (code !== dataRow) {
      // An idle connection must not keep the texts of its last row.
      texts.length = 0
      return other(offset, code, length, bytes)
    }
    return { name: 'dataRow', length, fields: rowTexts(bytes, offset, offset + length - lengthBytes, texts) } as Message
  }
  return reader
}

/** pg's client with `rowReader` as its parser. */
export class RowClient extends pg.Client {
  constructor(config: pg.ClientConfig & { readonly rowBytesMax?: number } = {}) {
    super(config)
    const { connection } = this as unknown as { connection: Connection }
    connection.rowBytesMax = config.rowBytesMax
    connection.attachListeners = (stream) => {
      const reader = rowReader()
      /** Bytes of the answer to the running statement, since the last pause. */
      let inTurn = 0
      const emit = (message: Message): void => {
        if (message.name === 'readyForQuery') inTurn = 0
        connection.emit(message.name === 'error' ? 'errorMessage' : message.name, message)
      }
      stream.on('data', (bytes: Buffer) => {
        inTurn += bytes.length
        reader.parse(bytes, emit)
        if (inTurn < largeFrom) return
        // Pause after a large amount of data, so that data of other connections is processed in between.
        inTurn = 0
        stream.pause()
        void ownEventLoopTurn().then(() => stream.resume())
      })
    }
  }
}
