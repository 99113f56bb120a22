# The standard tests of LangChain for chat models and embeddings, with the three clients that speak to this server.

import os

from langchain_anthropic import ChatAnthropic
from langchain_ollama import ChatOllama, OllamaEmbeddings
from langchain_openai import ChatOpenAI, OpenAIEmbeddings
from langchain_tests.integration_tests import ChatModelIntegrationTests, EmbeddingsIntegrationTests

address = os.environ["HEARTH_STANDARDS_URL"]
model = os.environ["HEARTH_STANDARDS_MODEL"]
other_model = os.environ["HEARTH_STANDARDS_OTHER_MODEL"]
native = {"model": model, "base_url": address}
openai = {"model": model, "base_url": f"{address}/v1", "api_key": "none"}


class Chat(ChatModelIntegrationTests):
    @property
    def model_override_value(self):
        return other_model

    @property
    def supports_image_inputs(self):
        return True

    @property
    def supports_image_tool_message(self):
        return True

    @property
    def supports_anthropic_inputs(self):
        return True

    @property
    def supports_json_mode(self):
        return True


class TestChatCompletions(Chat):
    chat_model_class = ChatOpenAI
    chat_model_params = {**openai, "temperature": 0, "stream_usage": True}


class TestResponses(Chat):
    chat_model_class = ChatOpenAI
    chat_model_params = {**openai, "temperature": 0, "use_responses_api": True}


class TestOllama(Chat):
    chat_model_class = ChatOllama
    chat_model_params = {**native, "temperature": 0}


class TestAnthropic(Chat):
    chat_model_class = ChatAnthropic
    chat_model_params = {**native, "api_key": "none", "temperature": 0, "max_tokens": 300}


class TestOpenAIEmbeddings(EmbeddingsIntegrationTests):
    embeddings_class = OpenAIEmbeddings
    embedding_model_params = {**openai, "check_embedding_ctx_length": False}


class TestOllamaEmbeddings(EmbeddingsIntegrationTests):
    embeddings_class = OllamaEmbeddings
    embedding_model_params = native


# Not tests of their own.
del Chat, ChatModelIntegrationTests, EmbeddingsIntegrationTests
