import { Metadata, Server, ServerCredentials, type ServiceDefinition, status } from '@grpc/grpc-js';
import { SuiGrpcClient } from '@mysten/sui/grpc';
import { fullAddress } from '../../sui/addresses.js';
import { normalCoinType } from '../../sui/coin-type.js';
import type { Checkpoint } from '../../sui/wire.js';
import type { SuiSource } from './ledger.js';
import { masked } from './read-mask.js';

type Client = SuiGrpcClient;
type Service = Client['ledgerService'] | Client['stateService'] | Client['subscriptionService'];
type Request<S, M extends keyof S> = S[M] extends (input: infer I, ...rest: never[]) => unknown ? I : never;
type Call = { readonly request: unknown; sendMetadata(metadata: Metadata): void };
type Handler = (call: Call, answer: (error: object | null, reply?: object) => void) => void;

const defaultPaths = ['sequence_number', 'digest'];
const heightHeader = 'x-sui-checkpoint-height';

/** Creates an error that the gRPC server sends to the client with the given status code. */
export const grpcError = (code: status, details: string) => Object.assign(new Error(details), { code, details });

/** Converts the client's description of a service to the definition that the gRPC server needs. */
const definitionOf = ({ typeName, methods }: Service): ServiceDefinition =>
  Object.fromEntries(
    methods.map(({ name, localName, I, O, serverStreaming }) => [
      localName,
      {
        path: `/${typeName}/${name}`,
        requestStream: false,
        responseStream: serverStreaming,
        requestSerialize: (message: object) => Buffer.from(I.toBinary(message)),
        requestDeserialize: (bytes: Buffer) => I.fromBinary(bytes),
        responseSerialize: (message: object) => Buffer.from(O.toBinary(message)),
        responseDeserialize: (bytes: Buffer) => O.fromBinary(bytes),
      },
    ]),
  );

const findCheckpoint = (source: SuiSource, id: Request<Client['ledgerService'], 'getCheckpoint'>['checkpointId']) => {
  const wanted = {
    sequenceNumber: () => source.checkpoint('sequenceNumber' in id ? Number(id.sequenceNumber) : 0),
    digest: () => source.checkpoint('digest' in id ? id.digest : ''),
  };
  const found = id.oneofKind ? wanted[id.oneofKind]() : source.checkpoint(source.height());
  if (!found || Number(found.sequenceNumber) > source.height())
    throw grpcError(status.NOT_FOUND, 'checkpoint not found');
  return found;
};

/**
 * Creates a handler for a gRPC call with one response. The handler sends the current height of the chain in the
 * headers.
 */
const unary =
  (source: SuiSource, method: string, work: (request: unknown) => object): Handler =>
  (call, answer) => {
    try {
      source.admit?.(method);
      const reply = work(call.request);
      const metadata = new Metadata();
      metadata.set(heightHeader, String(source.height()));
      call.sendMetadata(metadata);
      answer(null, reply);
    } catch (error) {
      answer(error as object);
    }
  };

const answersOf = (source: SuiSource) => ({
  getServiceInfo: () => ({
    chainId: source.chainId,
    chain: 'development',
    checkpointHeight: BigInt(source.height()),
    lowestAvailableCheckpoint: BigInt(source.lowest?.() ?? 0),
  }),
  getCheckpoint: ({ checkpointId, readMask }: Request<Client['ledgerService'], 'getCheckpoint'>) => ({
    checkpoint: masked(findCheckpoint(source, checkpointId), readMask?.paths ?? defaultPaths),
  }),
  getBalance: ({ owner = '', coinType = '' }: Request<Client['stateService'], 'getBalance'>) => {
    const type = normalCoinType(coinType) ?? coinType;
    return { balance: { coinType: type, balance: source.balance(fullAddress(owner), type) } };
  },
  getCoinInfo: ({ coinType = '' }: Request<Client['stateService'], 'getCoinInfo'>) => {
    const type = normalCoinType(coinType) ?? coinType;
    if (!source.hasCoin(type)) throw grpcError(status.NOT_FOUND, `coin type ${coinType} not found`);
    // Coins of this chain are named after their types. All have nine decimals, like the native coin.
    const symbol = type.split('::').at(-1) ?? '';
    return { coinType: type, metadata: { name: `Coin ${symbol}`, symbol, decimals: 9 } };
  },
});

type Stream = {
  readonly request: Request<Client['subscriptionService'], 'subscribeCheckpoints'>;
  write(message: object): void;
  end(): void;
  destroy(error: Error): void;
  on(event: 'cancelled' | 'error' | 'close', listener: () => void): void;
};
const subscribe = (source: SuiSource) => (stream: Stream) => {
  try {
    source.admit?.('subscribeCheckpoints');
  } catch (error) {
    stream.destroy(error as Error);
    return;
  }
  const { readMask } = stream.request;
  const send = (checkpoint: Checkpoint) =>
    stream.write({
      cursor: checkpoint.sequenceNumber,
      checkpoint: masked(checkpoint, readMask?.paths ?? defaultPaths),
    });
  const leave = source.listen(send, () => stream.end());
  for (const event of ['cancelled', 'error', 'close'] as const) stream.on(event, leave);
};

/** Serves `sui.rpc.v2` over gRPC on a free port of the loopback interface. */
export const serveSui = async (source: SuiSource) => {
  // The client never connects. Only its service descriptions are used.
  const services = new SuiGrpcClient({ network: 'localnet', baseUrl: 'http://localhost' });
  const server = new Server();
  const answers = Object.fromEntries(
    Object.entries(answersOf(source)).map(([name, work]) => [
      name,
      unary(source, name, work as (request: unknown) => object),
    ]),
  );
  for (const service of [services.ledgerService, services.stateService, services.subscriptionService])
    server.addService(definitionOf(service), { ...answers, subscribeCheckpoints: subscribe(source) } as never);
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  );
  return { url: `sui+grpc://127.0.0.1:${port}`, close: async () => server.forceShutdown() };
};
