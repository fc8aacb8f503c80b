# speclint in a small image: docker build -t speclint . && docker run --rm -v "$PWD:/src" speclint
ARG BASE=docker.io/library/python:3.13-slim

FROM ${BASE} AS build
COPY . /speclint
RUN python3 -m venv /opt/speclint \
 && /opt/speclint/bin/pip install --no-cache-dir --no-compile --disable-pip-version-check /speclint \
 && /opt/speclint/bin/pip uninstall --yes --quiet pip \
 && /opt/speclint/bin/python -m compileall -q /opt/speclint/lib

FROM ${BASE}
COPY --from=build /opt/speclint /opt/speclint
ENV PATH=/opt/speclint/bin:$PATH PYTHONUTF8=1
WORKDIR /src
# Files that `--fix` writes belong to whoever `docker run --user` names; by itself it may only read.
USER 65534:65534
ENTRYPOINT ["speclint"]
