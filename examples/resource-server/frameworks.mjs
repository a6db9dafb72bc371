// The same check with Express, Fastify and Hono. `api` is what `resourceServer()` returns; each function returns a server of
// `node:http` that does not listen yet.
import { createServer } from 'node:http';
import { createAdaptorServer } from '@hono/node-server';
import express from 'express';
import { fastify } from 'fastify';
import { Hono } from 'hono';

const RULES = { scope: 'orders:read' };

export function onExpress(api) {
  const app = express();
  app.get('/orders', api.express(RULES), (request, response) =>
    response.json({ for: request.token.client_id }),
  );
  return createServer(app);
}

export async function onFastify(api) {
  const app = fastify();
  app.get('/orders', { onRequest: api.fastify(RULES) }, async (request) => ({
    for: request.token.client_id,
  }));
  await app.ready();
  return app.server;
}

export function onHono(api) {
  const app = new Hono();
  app.get('/orders', api.hono(RULES), (context) => context.json({ for: context.get('token').client_id }));
  return createAdaptorServer({ fetch: app.fetch });
}

export function onNode(api) {
  return createServer(async (request, response) => {
    const token = await api.node(request, response, RULES);
    if (token !== undefined) response.end(JSON.stringify({ for: token.client_id }));
  });
}
