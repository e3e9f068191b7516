# One image serves every role; the command chooses it, for example: serve --role api.
FROM node:26-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
RUN npm run build && npm prune --omit=dev --omit=optional

FROM node:26-bookworm-slim
ENV NODE_ENV=production CHAINFOLD_HOST=0.0.0.0 CHAINFOLD_DATA_DIR=/data
WORKDIR /app
# Build tools are left out: without build.js beside it, bin/chainfold.js runs dist/ as it is.
COPY --from=build /app/package.json ./
COPY --from=build /app/bin ./bin
COPY --from=build /app/dist ./dist
COPY --from=build /app/node_modules ./node_modules
RUN rm -rf node_modules/esbuild node_modules/@esbuild && mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=5s --timeout=3s --start-period=30s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8080/health/ready').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "bin/chainfold.js"]
CMD ["serve"]
